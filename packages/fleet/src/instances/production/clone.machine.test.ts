import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import type { InstanceRoutes } from '#/instances/ports.ts'
import { addNode, addRole, fakePhp, testDomains } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { attempts } from '#/instances/steps/attempts.test.ts'
import { type Clone, cloneLog, instanceClone } from './run-clone.ts'
import type { ProductionHomes } from './homes.ts'

const KEY = 'MAIL_PASSWORD'

type Fakes = NonNullable<Parameters<typeof testDomains>[1]>

/** A candidate with stored values, and a Node for production whose users are all the user of this test. */
async function world(fleet: InstancesFleet, fakes: Fakes = {}) {
  fleet.git.commit('app', 'feature', { 'src/a.txt': 'a\n' })
  const { data: candidate } = await fleet.create()
  const production = await addNode(fleet.store, { user_home: fleet.home })
  await addRole(fleet.store, { node_id: production.id, role: 'app-prod' })
  const made: string[] = []
  let broken: Error | undefined
  const homes: ProductionHomes = {
    accountFor: (node, slug, name) => ({
      user: node.user,
      home: join(fleet.home, 'homes', `${slug}-${name}`),
    }),
    ensure: async (_session, { home }) => {
      made.push(home)
      mkdirSync(home, { recursive: true })
      if (broken) throw broken
    },
  }
  const domains = testDomains(
    { store: fleet.store, clock: systemClock, ssh: fleet.pool },
    { productionHomes: homes, ...fakes },
  )
  const { handlers } = domains.instances
  await domains.environment.replace(fleet.call(), candidate.id, async () => ({
    set: new Map([
      [KEY, 'a-canary'],
      ['APP_ENV', 'local'],
    ]),
    removed: [],
  }))
  return {
    candidate,
    production,
    made,
    domains,
    breakHomes: (error: Error | undefined) => (broken = error),
    clone: (given: object = {}) =>
      handlers['instance:clone']({
        call: fleet.call(),
        input: {
          candidate: candidate.id,
          node_id: production.id,
          name: 'live',
          preview_name: 'preview',
          ...given,
        },
      }),
    destroy: (instance: number, force = false) =>
      handlers['instance:destroy']({ call: fleet.call(), input: { instance, force } }),
  }
}

test('a clone has a home with a fresh checkout and the values of its candidate for production, and no release [ENV-068, INS-005]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, domains, production } = await world(fleet)
  const { data, created } = await clone()
  assert.equal(created, true)
  const home = join(fleet.home, 'homes', 'app-live')
  assert.deepEqual(
    [data.status, data.environment, data.production_home, data.checkout_path, data.selected_branch],
    ['active', 'production', home, join(home, 'releases/initial'), 'feature'],
  )
  assert.deepEqual(
    [data.starting_commit, data.production_user, data.source_layout, data.vite_port],
    [git(candidate.checkout_path, ['rev-parse', 'HEAD']), production.user, null, null],
  )
  assert.equal(readFileSync(join(data.checkout_path, 'src/a.txt'), 'utf8'), 'a\n')
  assert.deepEqual(
    [existsSync(join(home, 'current')), existsSync(join(data.checkout_path, '.env'))],
    [false, false],
  )
  assert.deepEqual(Object.fromEntries(await domains.environment.stored(data.id)), {
    [KEY]: 'a-canary',
    APP_ENV: 'production',
    APP_DEBUG: 'false',
  })
  assert.equal((await domains.environment.stored(candidate.id)).get('APP_ENV'), 'local')
})

test('the identical request resumes an unfinished clone, then answers it; other values are refused', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, destroy, breakHomes, made } = await world(fleet)
  breakHomes(new Error('the Node is gone'))
  await assert.rejects(clone())
  assert.equal((await refusalOf(clone({ preview_name: 'other' }))).code, 'instance.clone_retry_conflict')
  const refused = await refusalOf(destroy(candidate.id, true))
  assert.deepEqual([refused.code, refused.details['clones']], ['instance.clone_in_progress', ['live']])
  breakHomes(undefined)
  const first = await clone()
  assert.deepEqual([first.created, first.data.error_code, made.length], [false, null, 2])
  const again = await clone()
  assert.deepEqual([again.created, again.data, made.length], [false, first.data, 2])
})

test('a clone gets the definitions of its Project, and a name that is used stops its preparation [PRJ-084, PRJ-085]', async () => {
  await using fleet = await startInstancesFleet()
  let refused: Error | undefined
  const copied: number[] = []
  const { clone, candidate } = await world(fleet, {
    instanceDefinitions: {
      copy: async (_session, id) => {
        copied.push(id)
        if (refused) throw refused
      },
    },
  })
  for (const code of ['process.name_taken', 'schedule.retry_conflict'] as const) {
    refused = fail(code)
    assert.equal((await refusalOf(clone())).code, code)
  }
  const { db } = fleet.store
  const prepared = () =>
    db.selectFrom('instances').where('id', '!=', candidate.id).select(['id', 'status']).executeTakeFirst()
  assert.notEqual((await prepared())?.status, 'active')
  refused = undefined
  const { data } = await clone()
  assert.deepEqual([...new Set(copied)], [data.id])
  assert.equal((await prepared())?.status, 'active')
})

test('a candidate that is dirty, unpushed or on another branch is refused and nothing is stored', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, made } = await world(fleet)
  const path = candidate.checkout_path
  writeFileSync(join(path, 'new.txt'), 'new')
  assert.equal((await refusalOf(clone())).code, 'instance.clone_candidate_dirty')
  git(path, ['add', '.'])
  git(path, ['-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-q', '-m', 'new'])
  assert.equal((await refusalOf(clone())).code, 'instance.clone_candidate_commit_unavailable')
  git(path, ['checkout', '-q', '-b', 'elsewhere', 'origin/feature'])
  assert.equal((await refusalOf(clone())).code, 'instance.clone_candidate_branch_invalid')
  assert.equal((await fleet.store.db.selectFrom('instances').select('id').execute()).length, 1)
  assert.deepEqual(made, [])
})

test('a Node without app-prod, a missing branch and a production candidate without a release are refused', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone } = await world(fleet)
  assert.equal((await refusalOf(clone({ node_id: fleet.node.id }))).code, 'instance.node_not_app_prod')
  const missing = await refusalOf(clone({ name: 'other', branch: 'nowhere' }))
  assert.equal(missing.code, 'instance.clone_target_branch_missing')
  const { data } = await clone()
  const release = await refusalOf(clone({ candidate: data.id, name: 'second' }))
  assert.equal(release.code, 'instance.clone_candidate_release_missing')
  const { db } = fleet.store
  await db
    .updateTable('instances')
    .set({ status: 'source_resolved' })
    .where('id', '=', candidate.id)
    .execute()
  assert.equal((await refusalOf(clone({ name: 'third' }))).code, 'instance.clone_candidate_inactive')
})

test('the removal of a production Instance keeps everything in its home', async () => {
  await using fleet = await startInstancesFleet()
  const { clone, destroy } = await world(fleet)
  const { data } = await clone()
  const home = data.production_home ?? ''
  writeFileSync(join(home, '.env'), 'A=1\n')
  writeFileSync(join(home, 'database.sqlite'), 'rows')
  writeFileSync(join(data.checkout_path, 'dirty.txt'), 'work')
  const { data: removal } = await destroy(data.id)
  assert.equal(removal.status, 'completed')
  for (const kept of ['.env', 'database.sqlite', 'releases/initial/dirty.txt', 'releases/initial/src/a.txt'])
    assert.equal(existsSync(join(home, kept)), true, kept)
})

/** Routes that note what a clone asks of them. */
function fakeRoutes(done: string[], fails: Set<string>): InstanceRoutes {
  const note = (text: string): void => {
    done.push(text)
    if (fails.has(text.split(' ')[0] ?? '')) throw fail('route.busy')
  }
  const unasked = (): never => assert.fail('a clone does not ask for it')
  return {
    plan: unasked,
    planMove: unasked,
    move: unasked,
    planPreview: async ({ node }, { previewName, effectiveRoot }) => {
      note(`plan ${previewName} ${effectiveRoot}`)
      const domain = `${previewName}.${node.tld}`
      return { domain, provenance: 'explicit', clusterId: null, generationBasisNodeId: null }
    },
    reserve: async (_db, { name }, { domain }) => note(`reserve ${domain} for ${name}`),
    publish: async (_session, { status, profile }) =>
      note(`publish ${status} ${profile?.php_version ?? 'without PHP'}`),
    unpublish: unasked,
    remove: async () => note('remove'),
    withdrawNames: unasked,
    forget: async () => note('forget'),
    leaveBehind: unasked,
    changeDomain: unasked,
    own: async () => new Map(),
    targetsOf: async () => [],
  }
}

test('a clone of an application reserves its preview with its record, gets PHP of its own, and is active once the preview is served [INS-105]', async () => {
  await using fleet = await startInstancesFleet()
  const done: string[] = []
  const fails = new Set<string>()
  const php = fakePhp()
  const { candidate, clone, destroy, production } = await world(fleet, {
    php,
    instanceRoutes: fakeRoutes(done, fails),
  })
  fleet.git.commit('app', 'live', { 'composer.json': '{"require":{"php":"^8.2"}}', 'public/index.php': '' })
  const { db } = fleet.store
  await db.updateTable('nodes').set({ tld: 'test' }).where('id', '=', production.id).execute()
  await db.updateTable('projects').set({ type: 'laravel-app', root: 'public' }).execute()

  // A reservation that fails leaves no record, and so does not take the name.
  fails.add('reserve')
  assert.equal((await refusalOf(clone({ branch: 'live' }))).code, 'route.busy')
  assert.equal((await db.selectFrom('instances').select('id').execute()).length, 1)
  fails.clear()
  fails.add('publish')
  assert.equal((await refusalOf(clone({ branch: 'live' }))).code, 'route.busy')
  const unfinished = await db
    .selectFrom('instances')
    .select(['status', 'failed_step'])
    .where('environment', '=', 'production')
    .executeTakeFirstOrThrow()
  assert.deepEqual(unfinished, { status: 'source_resolved', failed_step: 'preview' })
  assert.equal((await refusalOf(destroy(candidate.id, true))).code, 'instance.clone_in_progress')
  fails.clear()
  const { data } = await clone({ branch: 'live' })
  assert.equal(data.status, 'active')
  assert.deepEqual(php.asked, ['production version ', `production converge ${data.id}`])
  assert.deepEqual(done, [
    'plan preview public',
    'reserve preview.test for live',
    'plan preview public',
    'reserve preview.test for live',
    'publish source_resolved 8.2',
    'publish source_resolved 8.2',
  ])
  await destroy(data.id)
  assert.deepEqual(done.slice(6), ['remove', 'forget'])
  assert.equal(php.asked.at(-1), `production remove ${data.id}`)
})

const attempt = attempts()
testStepList<Clone>('instance-clone', {
  list: instanceClone,
  fresh: async () => {
    const { reserve } = await attempt()
    return begin(
      await reserve({
        environment: 'production',
        production_user: 'shop',
        production_home: '/home/shop',
        selected_branch: 'main',
        clone_candidate_id: 1,
        clone: { preview_name: 'p', branch: null, sqlite_source_path: null, candidate_source: 'c', done: [] },
      }),
    )
  },
  view: async ({ row }) => (await attempt()).view(row),
  log: cloneLog,
  again: async ({ row }) => {
    const stored = await (await attempt()).queries.find(row.id)
    return stored && begin(stored)
  },
})

async function begin(row: Clone['row']): Promise<Clone> {
  const { checkout, queries, routes } = await attempt()
  const done = async (): Promise<void> => undefined
  return {
    parts: {
      queries,
      homes: { accountFor: () => ({ user: 'shop', home: '/home/shop' }), ensure: done },
      definitions: { copy: done },
      environments: { copy: done },
      routes,
      php: { versionFor: async () => '8.2', converge: done },
    },
    checkout: checkout(row),
    row,
    found: {},
  }
}
