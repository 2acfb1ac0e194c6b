import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { fail } from '@fleet/contract'
import type { InstanceRoutes } from '#/instances/ports.ts'
import { fakePhp } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { attempts } from '#/instances/steps/attempts.test.ts'
import { type Clone, cloneLog, instanceClone } from './run-clone.ts'
import { cloneWorld, KEY } from './clone-world.test.ts'
import { ownLogin } from '#/source-host/api.ts'

test('a clone has a home with a fresh checkout and the values of its candidate for production, and no release [ENV-068, INS-005, INS-013, INS-015, GW-021]', async () => {
  await using fleet = await startInstancesFleet()
  const { candidate, clone, domains, production } = await cloneWorld(fleet)
  const { data, created } = await clone()
  assert.equal(created, true)
  assert.deepEqual(await clone(), { data, created: false })
  const home = join(fleet.home, 'homes', 'app-live')
  assert.deepEqual(
    [data.status, data.environment, data.production_home, data.checkout_path, data.selected_branch],
    ['active', 'production', home, join(home, 'releases/initial'), 'feature'],
  )
  assert.deepEqual([data.creation, data.copy_mode, data.source_instance], ['clone', null, null])
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

test('a clone gets the definitions of its Project, and a name that is used stops its preparation [PRJ-084, PRJ-085]', async () => {
  await using fleet = await startInstancesFleet()
  let refused: Error | undefined
  const copied: number[] = []
  const { clone, candidate } = await cloneWorld(fleet, {
    instanceDefinitions: {
      requireInstallable: async () => undefined,
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

test('the removal of a production Instance keeps everything in its home', async () => {
  await using fleet = await startInstancesFleet()
  const { clone, destroy } = await cloneWorld(fleet)
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
    tellMoved: unasked,
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
  const { candidate, clone, destroy, production } = await cloneWorld(fleet, {
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
const SOURCE = '/home/fleet/apps/app/feature/database.sqlite'
let homeCount = 0
testStepList<Clone>('instance-clone', {
  list: instanceClone,
  fresh: async () => {
    const { reserve } = await attempt()
    return begin(
      await reserve({
        environment: 'production',
        production_user: 'shop',
        production_home: `/home/shop${(homeCount += 1)}`,
        selected_branch: 'main',
        clone_candidate_id: 1,
        clone: {
          preview_name: 'p',
          branch: null,
          sqlite_source_path: SOURCE,
          candidate_source: 'c',
          done: [],
        },
      }),
    )
  },
  view: async ({ row }) => {
    const { view, checkouts } = await attempt()
    return [
      await view(row),
      checkouts.sqlite.held.get(`${row.node_id} ${row.production_home}/database.sqlite`),
    ]
  },
  log: cloneLog,
  again: async ({ row }) => {
    const stored = await (await attempt()).queries.find(row.id)
    return stored && begin(stored)
  },
})

async function begin(row: Clone['row']): Promise<Clone> {
  const { checkout, checkouts, queries, routes } = await attempt()
  checkouts.sqlite.held.set(`${row.node_id} ${SOURCE}`, 'rows')
  const done = async (): Promise<void> => undefined
  return {
    deps: {
      queries,
      projects: { login: async () => ownLogin('') },
      homes: { accountFor: () => ({ user: 'shop', home: '/home/shop' }), requireFree: done, ensure: done },
      definitions: { requireInstallable: done, copy: done },
      environments: { copy: done },
      routes,
      php: { versionFor: async () => '8.2', converge: done },
    },
    checkout: checkout(row),
    seed: { session: checkout(row).session, path: SOURCE },
    row,
    found: {},
  }
}
