import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall, localPool, localSession } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { presentRoute } from '#/routes/present.ts'
import { appRoutes, findByDomain } from '#/routes/queries.ts'
import { addApp, createFor, createInstance, startWorld, type World } from '#/routes/world.test.ts'

/** A Project with generated Routes and, as `fixed`, an explicit one. */
async function shop(world: World): Promise<number> {
  const { id: project_id } = await addApp(world)
  for (const name of ['default', 'feature']) await createInstance(world, { project_id, name })
  await createInstance(world, { project_id, name: 'fixed', domain: 'fixed.example' })
  return project_id
}

const domains = async ({ store }: World) =>
  (await appRoutes(store.db))
    .map(({ domain, status, provenance }) => `${domain} ${status} ${provenance}`)
    .toSorted()

const change = async ({ routes: { forProjects } }: World, project: number, slug = 'next'): Promise<void> => {
  const call = fakeCall()
  await forProjects.prepare(call, await forProjects.plan(project, slug))
  await forProjects.replace(call, await forProjects.plan(project, slug))
}

test('another slug replaces every generated Route at once, with all but its domain; explicit ones stay [RTE-040, RTE-041, PRJ-046]', async () => {
  await using world = await startWorld()
  const project = await shop(world)
  const { data: panel } = await createFor(world, 1, { domain: 'panel.example', web_root: 'panel' })
  const fields = async () =>
    new Map(
      (await appRoutes(world.store.db)).map(
        ({ id: _id, domain, targets, created_at: _at, ...kept }) =>
          [domain, { ...kept, targets: targets.map(({ instance_id }) => instance_id) }] as const,
      ),
    )
  const before = await fields()
  await change(world, project)
  assert.deepEqual(await domains(world), [
    'feature.next.test active generated',
    'fixed.example active explicit',
    'next.test active generated',
    'panel.example active explicit',
  ])
  const after = await fields()
  assert.deepEqual(
    [after.get('next.test'), after.get('feature.next.test'), after.get('panel.example')],
    [before.get('shop.test'), before.get('feature.shop.test'), before.get('panel.example')],
  )
  assert.deepEqual(world.slept, [31_000])
  assert.deepEqual(
    [...world.names].toSorted(),
    ['feature.next.test', 'fixed.example', 'next.test', panel.domain].toSorted(),
  )
  assert.deepEqual(await world.routes.forProjects.plan(project, 'next'), [])
})

test('what is prepared serves both domains, and is withdrawn without a trace [RTE-040]', async () => {
  await using world = await startWorld()
  const project = await shop(world)
  const { forProjects } = world.routes
  const view = async () => [
    await domains(world),
    Object.fromEntries(world.machine.sites),
    Object.fromEntries(world.machine.leaves),
    [...world.names].toSorted(),
  ]
  const before = await view()
  await forProjects.prepare(fakeCall(), await forProjects.plan(project, 'next'))
  for (const name of ['shop.test', 'next.test', 'feature.next.test'])
    assert.ok(world.names.has(name) && world.machine.sites.has(name), name)
  assert.deepEqual(
    [...world.machine.urls.values()].every((url) => url.endsWith('next.test')),
    true,
  )
  await forProjects.withdraw(fakeCall(), project)
  assert.deepEqual(await view(), before)
  // The machine of this world knows one URL for each directory.
  assert.deepEqual([...world.machine.urls.values()], ['https://feature.shop.test'])
  await forProjects.withdraw(fakeCall(), project)
  await change(world, project)
})

test('a domain of another Route, one that is not valid and a Route in transition refuse the slug before anything is served [PRJ-055]', async () => {
  await using world = await startWorld()
  const project = await shop(world)
  const { forProjects } = world.routes
  const other = await addApp(world, { slug: 'other', repository_identity: 'x/y', code: 'XYZ' })
  await createInstance(world, { project_id: other.id, name: 'feature', domain: 'feature.taken.test' })
  const before = await domains(world)
  await assert.rejects(forProjects.plan(project, 'taken'), {
    code: 'route.domain_conflict',
    details: { route: { id: 2, domain: 'feature.shop.test' }, domain: 'feature.taken.test' },
  })
  await assert.rejects(forProjects.plan(project, 'not_a_label'), { code: 'route.domain_invalid' })
  await world.store.db.updateTable('routes').set({ status: 'failed' }).where('id', '=', 2).execute()
  await assert.rejects(forProjects.plan(project, 'next'), { code: 'route.reconciliation_required' })
  await world.store.db.updateTable('routes').set({ status: 'active' }).where('id', '=', 2).execute()
  await world.store.db.updateTable('nodes').set({ tld: null }).where('id', '=', world.node.id).execute()
  await assert.rejects(forProjects.plan(project, 'next'), { code: 'route.tld_required' })
  assert.deepEqual(await domains(world), before)
})

test('a Route that would serve the repository itself refuses the root [PRJ-055]', async () => {
  await using world = await startWorld()
  await shop(world)
  const { forProjects } = world.routes
  await forProjects.requireRoot(1, 'web', undefined)
  await assert.rejects(forProjects.requireRoot(1, '.', undefined), {
    code: 'route.target_web_root_unsupported',
  })
})

test('Routes with another domain are published at once, whatever becomes of the change of the Project then [EV-050, EV-051]', async () => {
  await using world = await startWorld()
  const project = await shop(world)
  const { forProjects } = world.routes
  // What waits for the end of the request is left out.
  const call = { ...fakeCall(), event: () => undefined }
  const changes = await forProjects.plan(project, 'next')
  assert.ok(changes.length > 0)
  await forProjects.replace(call, changes)
  const told = await Promise.all(
    changes.map(async ({ routeId, from, domain }) => {
      const route = await findByDomain(world.store.db, domain)
      return [
        { type: 'route.deleted', data: { id: routeId, domain: from } },
        { type: 'route.updated', data: route && presentRoute(route) },
      ]
    }),
  )
  assert.deepEqual(call.events, told.flat())
})

test('a checkout that is served is asked for the directory of another root [PRJ-042]', async () => {
  await using world = await startWorld()
  await shop(world)
  const session = localSession(localPool({ home: '/' }), { node: world.node })
  const asked = async (): Promise<readonly string[]> => {
    const before = world.done.length
    await world.routes.forProjects.requireRoot(1, 'web', session)
    return world.done.slice(before).map((line) => line.replace(/ \/\S+/, ''))
  }
  assert.deepEqual(await asked(), ['check web'])
  await world.store.db.updateTable('routes').set({ status: 'activating' }).where('id', '=', 1).execute()
  assert.deepEqual(await asked(), [])
})

test('a process that dies anywhere leaves every name with a site, and the identical change finishes [RTE-040]', async () => {
  await using first = await startWorld()
  const project = await shop(first)
  const counted = await startWorld({ after: first })
  await change(counted, project, 's0')
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const slug = `s${index + 1}`
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(change(dying, project, slug), Died, JSON.stringify(moment))
    for (const name of first.names) assert.ok(first.machine.sites.has(name), JSON.stringify(moment))
    await change(first, project, slug)
    assert.deepEqual(
      await domains(first),
      [
        `feature.${slug}.test active generated`,
        'fixed.example active explicit',
        `${slug}.test active generated`,
      ],
      JSON.stringify(moment),
    )
    assert.deepEqual(
      [...first.names].toSorted(),
      [`${slug}.test`, `feature.${slug}.test`, 'fixed.example'].toSorted(),
    )
  }
})

test('the Routes of an Instance are served from the web root that it has now [PRJ-049]', async () => {
  await using world = await startWorld()
  const project = await shop(world)
  await world.store.db.updateTable('projects').set({ root: 'app/public' }).where('id', '=', project).execute()
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  for (const id of [1, 2]) await world.routes.forProjects.publishAnew(session, id)
  assert.match(world.machine.sites.get('shop.test') ?? '', /\/shop\/default\/app\/public /)
  assert.ok(world.done.includes('php of app'))
  assert.deepEqual([...world.machine.opened.values()].flat(), ['app/public', 'app/public', 'public'])
  assert.equal(world.machine.urls.get('app'), 'https://feature.shop.test')
  assert.equal(
    (await domains(world)).every((text) => text.includes(' active ')),
    true,
  )
})
