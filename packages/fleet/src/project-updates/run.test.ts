import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@fleet/contract'
import { addInstance, fakeCall } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { reserve } from '#/project-updates/source-changes.ts'
import {
  GIVEN,
  refusalOf,
  startWorld,
  stateOf,
  URL,
  viewOf,
  type World,
} from '#/project-updates/world.test.ts'

test('everything is checked, then prepared beside the values of now, then published and cleaned up [PRJ-040, PRJ-042, PRJ-043]', async () => {
  await using world = await startWorld({ names: ['default'] })
  const call = fakeCall()
  const states: unknown[] = []
  const { leadOrigin } = world.deps.checkouts
  Object.assign(world.deps.checkouts, {
    leadOrigin: async (...given: Parameters<typeof leadOrigin>) => {
      states.push(await viewOf(world), await stateOf(world))
      return leadOrigin(...given)
    },
  })
  const before = await viewOf(world)
  await world.update(GIVEN, call)
  assert.deepEqual(states, [before, 'preflighted'])
  assert.deepEqual(world.done, [
    'preflight default',
    'origin default',
    'branch default',
    'prepare domains',
    'replace domains',
    'root default',
  ])
  assert.deepEqual(
    call.steps.filter((step) => !step.includes(':')),
    [
      'preflight',
      'origins',
      'branch',
      'domains',
      'environments',
      'publish',
      'routes',
      'sources',
      'runtimes',
      'confirm',
    ].flatMap((step) => [`${step} started`, `${step} ${step === 'runtimes' ? 'skipped' : 'done'}`]),
  )
  assert.equal(await stateOf(world), 'complete')
  assert.deepEqual(call.notes.properties['update'], { state: 'complete', failed_step: null })
})

test('a root that a checkout lacks is refused before anything is published, and leaves the Project free for another request [PRJ-042]', async () => {
  await using world = await startWorld()
  const before = await viewOf(world)
  const [, feature = 0] = [...world.checkouts.keys()]
  world.broken.set(`root-check ${feature}`, 'app-dev.source_access_failed')
  const error = await refusalOf(world.update({ root: 'wbe' }))
  assert.equal(error.code, 'app-dev.source_access_failed')
  assert.deepEqual(error.details?.['instance'], { id: feature, name: 'feature' })
  assert.equal(await stateOf(world), 'rolled_back')
  assert.deepEqual(await viewOf(world), before)
  world.broken.clear()
  await world.update({ root: 'web' })
  assert.equal(await stateOf(world), 'complete')
  // What the next branch brings cannot be seen before it is checked out.
  world.done.length = 0
  await world.update({ root: 'dist', default_branch: 'trunk' })
  assert.deepEqual(
    world.done.filter((word) => word.startsWith('root-check')),
    [`root-check ${feature}`],
  )
})

test('a root whose `.env` could not be synchronized is refused before anything is published [PRJ-042]', async () => {
  await using world = await startWorld()
  const before = await viewOf(world)
  const stored = [...world.checkouts.keys()].find((id) => id % 2 === 0)
  world.broken.set(`environment-check ${stored}`, 'env.sync_would_drop_keys')
  const error = await refusalOf(world.update({ root: 'web' }))
  assert.equal(error.code, 'env.sync_would_drop_keys')
  assert.equal(await stateOf(world), 'rolled_back')
  assert.deepEqual(await viewOf(world), before)
  world.broken.clear()
  world.done.length = 0
  await world.update({ root: 'web' })
  assert.deepEqual(
    world.done.filter((word) => word.startsWith('environment-check')),
    [`environment-check ${stored}`],
  )
})

test('the origin of a checkout, which may hold a credential, is stored only while another URL follows it', async () => {
  await using world = await startWorld()
  const secret = 'https://oauth2:glpat-canary@git.example.com/acme/shop.git'
  const origins = new Map([...world.checkouts].map(([id, { origin }]) => [`${id}`, origin]))
  for (const checkout of world.checkouts.values()) checkout.origin = secret
  const stored = () => world.store.db.selectFrom('project_updates').select('found').executeTakeFirstOrThrow()
  // The branch of a checkout that was seen is switched all the same.
  for (const given of [{ root: 'web' }, { default_branch: 'trunk' }, { slug: 'next' }]) {
    await world.update(given)
    assert.doesNotMatch(JSON.stringify(await stored()), /canary/)
  }
  assert.deepEqual(
    [...world.checkouts.values()].map(({ branch }) => branch),
    ['trunk', 'main'],
  )
  for (const [id, checkout] of world.checkouts) checkout.origin = origins.get(`${id}`) ?? ''
  await world.update({ repository_url: URL })
  assert.deepEqual((await stored()).found.origins, Object.fromEntries(origins))
})

test('a record of before, which has no list of what was seen, is undone whole', async () => {
  await using world = await startWorld()
  const branches = () => [...world.checkouts.values()].map(({ branch }) => branch)
  world.broken.set('prepare domains', 'node.unreachable')
  world.broken.set('branch back default', 'node.unreachable')
  await refusalOf(world.update(GIVEN))
  assert.deepEqual([await stateOf(world), branches()], ['rolling_back', ['trunk', 'main']])
  const { db } = world.store
  const { found } = await db.selectFrom('project_updates').select('found').executeTakeFirstOrThrow()
  const { seen, ...before } = found
  assert.deepEqual(seen, [...world.checkouts.keys()])
  await db.updateTable('project_updates').set({ found: before }).execute()
  world.broken.clear()
  world.broken.set('preflight *', 'node.unreachable')
  await refusalOf(world.update(GIVEN))
  assert.deepEqual([await stateOf(world), branches()], ['rolled_back', ['main', 'main']])
})

const STAGES: readonly (readonly [word: string, failed: string, after: string, isForward: boolean])[] = [
  ['preflight *', 'preflight', 'rolled_back', false],
  ['origin *', 'origins', 'rolled_back', false],
  ['branch *', 'branch', 'rolled_back', false],
  ['prepare domains', 'domains', 'rolled_back', false],
  ['environment once', 'environments', 'rolled_back', false],
  ['replace domains', 'routes', 'publishing', true],
  ['root *', 'sources', 'publishing', true],
]
for (const [word, failed, state, isForward] of STAGES) {
  test(`a failure at ${failed} leaves ${state}, and the identical request finishes [PRJ-041, PRJ-044]`, async () => {
    await using world = await startWorld()
    const before = await viewOf(world)
    if (word === 'environment once') world.failsOnce('environment')
    else world.broken.set(word, 'node.unreachable')
    const call = fakeCall()
    const error = await refusalOf(world.update(GIVEN, call))
    assert.equal(error.code, 'node.unreachable')
    const published = call.published.map(({ type }) => type)
    const told = ['project.updated', 'instance.updated', 'instance.updated']
    assert.deepEqual(published, isForward ? told : [])
    const record = await world.store.db.selectFrom('project_updates').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(
      [record.state, record.failed_step, record.error_code],
      [state, failed, 'node.unreachable'],
    )
    if (isForward) assert.equal((await refusalOf(world.update(GIVEN))).code, 'node.unreachable')
    else assert.deepEqual(await viewOf(world), before)
    world.broken.clear()
    await world.update(GIVEN)
    assert.equal(await stateOf(world), 'complete')
    await using undisturbed = await startWorld()
    await undisturbed.update(GIVEN)
    const [found, expected] = [await viewOf(world), await viewOf(undisturbed)]
    assert.deepEqual(
      [found.rows, found.domains, found.project],
      [expected.rows, expected.domains, expected.project],
    )
    assert.deepEqual(
      found.checkouts.map(({ origin, branch }) => [origin, branch]),
      [
        [URL, 'trunk'],
        [URL, 'main'],
      ],
    )
  })
}

test('a rollback that cannot finish says so, refuses every other update and is continued by the identical request [PRJ-041, PRJ-044, PRJ-045]', async () => {
  await using world = await startWorld()
  const before = await viewOf(world)
  world.broken.set('branch *', 'project.source_switch_failed').set('origin back feature', 'node.unreachable')
  const failed = await refusalOf(world.update(GIVEN))
  assert.deepEqual([failed.code, failed.details?.['cleanup']], ['project.source_switch_failed', 'incomplete'])
  assert.equal(await stateOf(world), 'rolling_back')
  for (const other of [{ slug: 'other' }, { task_check: 'x' }, { ...GIVEN, task_check: 'x' }]) {
    const refused = await refusalOf(world.update(other))
    assert.deepEqual(
      [refused.code, refused.status, refused.details?.['request'], refused.details?.['failed_step']],
      ['project.update_in_progress', 409, GIVEN, 'branch'],
    )
  }
  const again = await refusalOf(world.update(GIVEN))
  assert.deepEqual(
    [again.code, again.details?.['cleanup'], again.details?.['instance']],
    ['node.unreachable', 'incomplete', { id: [...world.checkouts.keys()][1], name: 'feature' }],
  )
  world.broken.delete('origin back feature')
  assert.equal((await refusalOf(world.update(GIVEN))).code, 'project.source_switch_failed')
  assert.deepEqual([await stateOf(world), await viewOf(world)], ['rolled_back', before])
  world.broken.clear()
  await world.update(GIVEN)
  assert.equal(await stateOf(world), 'complete')
})

test('what has no code of its own is rolled back as project.update_failed [PRJ-051]', async () => {
  await using world = await startWorld()
  Object.assign(world.deps.routes, { prepare: async () => Promise.reject(new Error('a mistake')) })
  const error = await refusalOf(world.update({ slug: 'next' }))
  assert.deepEqual([error.code, error.details], ['project.update_failed', { step: 'domains' }])
  assert.equal(await stateOf(world), 'rolled_back')
})

const isDeath = (error: unknown): boolean =>
  error instanceof Died || (error instanceof Error && error.cause instanceof Died)

test('a process that dies anywhere leaves what the identical request finishes [PRJ-044]', async () => {
  await using counted = await startWorld()
  const counting = await startWorld({ after: counted })
  await counting.update(GIVEN)
  const finished = await viewOf(counted)
  const moments = momentsOf(counting.mortal)
  let died = 0
  for (const moment of moments) {
    await using world = await startWorld()
    const dying = await startWorld({ after: world, moment })
    // Of two commands that run at once, only the later one has the number of that moment.
    const error: unknown = await dying.update(GIVEN).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (error !== undefined) {
      assert.ok(isDeath(error), JSON.stringify(moment))
      died += 1
    }
    await (await startWorld({ after: world })).update(GIVEN)
    assert.deepEqual(await viewOf(world), finished, JSON.stringify(moment))
    assert.equal(await stateOf(world), 'complete', JSON.stringify(moment))
  }
  assert.ok(died > 30, `${died} of ${moments.length}`)
})

test('a Node that does not answer refuses before the first change', async () => {
  await using world = await startWorld({ names: ['default', 'i1', 'i2'] })
  world.broken.set('preflight i2', 'node.unreachable')
  assert.equal((await refusalOf(world.update(GIVEN))).code, 'node.unreachable')
  // Both change nothing.
  const asked = ['preflight', 'root-check', 'environment-check']
  assert.deepEqual(
    world.done.filter((what) => !asked.includes(what.split(' ')[0] ?? '')),
    [],
  )
})

test('an Instance with stored configuration is synchronized before its domain is cut over; one without leaves evidence [ENV-065, ENV-066]', async () => {
  await using world = await startWorld()
  const call = fakeCall()
  await world.update({ slug: 'next' }, call)
  const [one, two] = [...world.checkouts.keys()]
  assert.ok(one !== undefined && two !== undefined)
  const stored = one % 2 === 0 ? one : two
  const bare = one % 2 === 0 ? two : one
  assert.deepEqual(
    world.done.filter((what) => !what.startsWith('preflight')),
    ['prepare domains', `environment ${stored}`, 'replace domains'],
  )
  const evidence: unknown = call.notes.properties['environments']
  assert.deepEqual(
    new Set(Array.isArray(evidence) ? evidence : []),
    new Set<unknown>([
      { instance_id: stored, environment: 'synchronized' },
      { instance_id: bare, environment: 'skipped', reason: 'env.configuration_missing' },
    ]),
  )
})

test('branch and web root of their own stay, and so does every path [PRJ-046, PRJ-048, PRJ-049]', async () => {
  await using world = await startWorld()
  const [first, second] = [...world.checkouts.keys()]
  const { db } = world.store
  await db
    .updateTable('instances')
    .set({ branch_override: 'main' })
    .where('id', '=', first ?? 0)
    .execute()
  await db
    .updateTable('instances')
    .set({ root: 'public' })
    .where('id', '=', second ?? 0)
    .execute()
  const paths = () =>
    db
      .selectFrom('instances')
      .select(['checkout_path', 'production_user', 'branch_override'])
      .orderBy('id')
      .execute()
  const before = await paths()
  await world.update(GIVEN)
  assert.deepEqual(
    [...world.checkouts.values()].map(({ branch, root }) => [branch, root]),
    [
      ['main', 'web'],
      ['main', 'public'],
    ],
  )
  assert.deepEqual(await paths(), before)
})

test('a checkout that was on the next branch already is on it after a rollback too [PRJ-044]', async () => {
  await using world = await startWorld()
  const [id = 0] = world.checkouts.keys()
  const checkout = world.checkouts.get(id)
  assert.ok(checkout)
  checkout.branch = 'trunk'
  checkout.branches.add('trunk')
  const before = await viewOf(world)
  world.broken.set('prepare domains', 'node.unreachable')
  assert.equal((await refusalOf(world.update(GIVEN))).code, 'node.unreachable')
  assert.deepEqual(await viewOf(world), before)
})

test('another default branch changes no Route [RTE-042]', async () => {
  await using world = await startWorld()
  const before = new Map(world.domains)
  await world.update({ default_branch: 'trunk' })
  assert.deepEqual(world.domains, before)
  assert.deepEqual(
    world.done.filter((what) => what.endsWith(' domains') || what.startsWith('environment')),
    [],
  )
})

test('a production Instance is asked nothing; one that changes meanwhile stops the update once [PRJ-043, PRJ-051]', async () => {
  await using world = await startWorld()
  const { db } = world.store
  const production = await addInstance(world.store, {
    project_id: world.project.id,
    node_id: (await db.selectFrom('instances').select('node_id').executeTakeFirstOrThrow()).node_id,
    name: 'live',
    environment: 'production',
    production_user: 'shop-live',
  })
  const { replace } = world.deps.routes
  const renamed = (production_user: string) =>
    db.updateTable('instances').set({ production_user }).where('id', '=', production.id).execute()
  Object.assign(world.deps.routes, {
    replace: async (...given: Parameters<typeof replace>) => {
      await renamed('somebody')
      return replace(...given)
    },
  })
  const error = await refusalOf(world.update(GIVEN))
  assert.deepEqual(
    [error.code, error.details, await stateOf(world)],
    ['project.production_ownership_changed', { instances: [production.id] }, 'cleaning_up'],
  )
  await world.update(GIVEN)
  assert.equal(await stateOf(world), 'complete')
  assert.deepEqual(
    world.done.filter((what) => what.endsWith(' live')),
    [],
  )
  const { prepare } = world.deps.routes
  Object.assign(world.deps.routes, {
    prepare: async (...given: Parameters<typeof prepare>) => {
      await renamed('shop-live')
      return prepare(...given)
    },
  })
  assert.equal(
    (await refusalOf(world.update({ slug: 'third' }))).code,
    'project.production_ownership_changed',
  )
  assert.equal(await stateOf(world), 'rolled_back')
})

test('an Instance that is not active, or whose Node is not, and one that is worked on refuse the update', async () => {
  await using world = await startWorld()
  const { db, locks } = world.store
  const refused = async (code: ErrorCode) => assert.equal((await refusalOf(world.update(GIVEN))).code, code)
  await db.updateTable('instances').set({ status: 'removing' }).where('name', '=', 'feature').execute()
  await refused('instance.lifecycle_conflict')
  await db.updateTable('instances').set({ status: 'active' }).execute()
  await db.updateTable('nodes').set({ status: 'failed' }).execute()
  await refused('node.not_active')
  await db.updateTable('nodes').set({ status: 'active' }).execute()
  {
    await using _held = await locks.acquire({
      name: `instance:${world.project.id}:feature:lifecycle`,
      operation: 'instance:setup',
      requestId: '00000000-0000-4000-8000-000000000001',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    await refused('instance.lifecycle_busy')
  }
  assert.deepEqual(world.done, [])
  await world.update(GIVEN)
})

test('the Project and the Instances that changed are reported, and again where a later step changes them [EV-024]', async () => {
  await using world = await startWorld()
  const events = async (given: Parameters<World['update']>[0]) => {
    const call = fakeCall()
    await world.update(given, call)
    return call.events.map(({ type }) => type)
  }
  assert.deepEqual(await events({ default_branch: 'trunk' }), ['project.updated', 'instance.updated'])
  assert.deepEqual(await events({ repository_url: URL }), ['project.updated'])
  assert.deepEqual(await events({ slug: 'next' }), [
    'project.updated',
    'instance.updated',
    'instance.updated',
    // With their next domains.
    'instance.updated',
    'instance.updated',
  ])
  assert.deepEqual(await events({ slug: 'next' }), [])
})

test('a change that was planned on what the Project is no more is not begun', async () => {
  await using world = await startWorld({ names: ['default'] })
  const { store, project, deps } = world
  await store.db.updateTable('projects').set({ merge_check: 'ci' }).execute()
  const change = { project, requested: GIVEN, values: GIVEN }
  await assert.rejects(reserve(deps, change), { code: 'project.lifecycle_busy' })
  assert.equal(await store.db.selectFrom('project_updates').selectAll().executeTakeFirst(), undefined)
})
