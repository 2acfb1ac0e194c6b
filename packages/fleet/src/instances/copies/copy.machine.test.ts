import assert from 'node:assert/strict'
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { addRoute, testDomains } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { receiptsIn, startCopyWorld, textIn, walk } from './world.test.ts'

test('a copy has all that Git ignores of its source, but for caches and logs, and names itself [INS-043, INS-072]', async () => {
  await using world = await startCopyWorld()
  const { fleet, source, at } = world
  const before = walk(at('default'))
  const commit = git(at('default'), ['rev-parse', 'HEAD'])
  const data = await world.copy()
  assert.partialDeepStrictEqual(data, {
    name: 'feature',
    status: 'active',
    source_layout: 'checkout',
    selected_branch: 'feature',
    starting_commit: commit,
    creation: 'copy',
    copy_mode: 'full',
    source_instance: { id: source.id, name: 'default' },
    shared_databases: [],
  })
  assert.deepEqual(walk(at('default')), before, 'the source is as it was')
  const kept = before.filter(
    (entry) =>
      !/^(?:node_modules\/\.cache\/|\.next\/cache\/z|storage\/logs\/app\.log|\.env |public\/storage )/.test(
        entry,
      ),
  )
  assert.deepEqual(
    walk(at('feature')).filter((entry) => !/^(?:\.env |public\/storage )/.test(entry)),
    kept,
  )
  assert.equal(readlinkSync(at('feature', 'public/storage')), at('feature', 'data'))
  assert.equal(
    textIn(at('feature', '.env')),
    `DATA="${at('feature', 'data')}/x"\nOTHER="${at('default')}-2/x"\n`,
  )
  assert.equal(lstatSync(at('feature', '.env')).mode & 0o777, 0o600)
  assert.equal(
    statSync(at('feature', 'node_modules/x/index.js')).ino,
    statSync(at('feature', 'node_modules/x/linked.js')).ino,
  )
  assert.equal(git(at('feature'), ['status', '--porcelain']), '')
  assert.equal(git(at('feature'), ['branch', '--format=%(refname:short)']), 'feature')
  assert.notEqual(
    textIn(`${receiptsIn(at('feature'))}/preparation`),
    textIn(`${receiptsIn(at('default'))}/preparation`),
  )
  // Nothing in it is work that exists nowhere else, and the source survives its removal.
  await fleet.destroy(data.id)
  assert.deepEqual([walk(at('default')), existsSync(at('feature'))], [before, false])
})

test('the identical request returns the copy, also when its source is gone, and other values are a conflict [INS-043]', async () => {
  await using world = await startCopyWorld()
  const { fleet, source } = world
  const data = await world.copy()
  await assert.rejects(fleet.create(), { code: 'instance.placement_conflict' })
  await fleet.destroy(source.id, true)
  const again = await fleet.create({ source_instance_id: source.id })
  assert.deepEqual([again.created, again.data], [false, data])
})

test('creation and copy mode say how every Instance came to be, and blocks are shared where they can be [INS-015, INS-072]', async () => {
  await using world = await startCopyWorld()
  world.sharesBlocks()
  const { source } = world
  const { copy_mode, creation, source_instance } = await world.copy()
  assert.deepEqual(
    [copy_mode, creation, source_instance],
    ['reflink', 'copy', { id: source.id, name: 'default' }],
  )
  assert.deepEqual(
    [source.creation, source.copy_mode, source.source_instance, source.shared_databases],
    ['repository', null, null, []],
  )
})

test('the branch of a copy is that of the origin or a new one at the commit of the source, and never parts from it [INS-072, INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const first = git(at('default'), ['rev-parse', 'HEAD'])
  git(at('default'), ['branch', 'mine'])
  const later = fleet.git.commit('app', 'later', { 'b.txt': 'later\n' })
  const { starting_commit, selected_branch } = await world.copy({ branch: 'later' })
  assert.deepEqual([starting_commit, selected_branch], [later, 'later'])
  assert.equal(textIn(at('feature', 'b.txt')), 'later\n')
  assert.equal(git(at('feature'), ['rev-parse', '--abbrev-ref', '@{upstream}']), 'origin/later')
  // A commit of the source that nobody else has: what branches from its parent has parted from it.
  git(at('default'), [
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.com',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'mine',
  ])
  assert.equal((await world.copy({ name: 'behind', branch: 'mine' })).starting_commit, first)
  const { code, status, details } = await refusalOf(world.copy({ name: 'parted', branch: 'later' }))
  assert.deepEqual([code, status, details['branch']], ['instance.copy_branch_diverged', 409, 'later'])
  assert.equal(existsSync(at('parted')), false)
  assert.equal(
    (await world.copy({ name: 'fresh' })).starting_commit,
    git(at('default'), ['rev-parse', 'HEAD']),
  )
})

test('a copy is served under its own domain, with an environment file that names it from the first moment [INS-072]', async () => {
  await using world = await startCopyWorld()
  const { fleet, source, at } = world
  const { store, pool } = fleet
  await addRoute(store, { ...source, project_id: fleet.project.id }, { domain: 'default.example' })
  const lines = [
    'URL=https://default.example/x',
    'OTHER=https://b.default.example',
    'HOSTS=.default.example,default.examples',
  ]
  world.put('default', '.env', `${lines.join('\n')}\n`)
  const given = { store, ssh: pool, clock: systemClock }
  const seen: (string | undefined)[] = []
  const instanceRoutes = {
    ...testDomains(given).routes.forInstances,
    plan: async () => ({
      domain: 'feature.example',
      provenance: 'generated' as const,
      generationBasisNodeId: null,
      clusterId: null,
    }),
    publish: async (_session: unknown, { id }: { readonly id: number }) => {
      seen.push(textIn(at('feature', '.env')))
      const served = store.db.selectFrom('route_targets').select('route_id').where('instance_id', '=', id)
      await store.db.updateTable('routes').set({ status: 'active' }).where('id', 'in', served).execute()
    },
  }
  const { instances } = testDomains(given, { instanceRoutes })
  const { url } = await world.copy({}, instances)
  assert.equal(url, 'https://feature.example')
  assert.deepEqual(seen, [
    'URL=https://feature.example/x\nOTHER=https://b.default.example\nHOSTS=.feature.example,default.examples\n',
  ])
  assert.equal(
    textIn(at('feature', '.env')),
    'HOSTS=".feature.example,default.examples"\nOTHER="https://b.default.example"\nURL="https://feature.example/x"\n',
  )
})

test('linked worktrees stay those of the source', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const beside = join(fleet.home, 'beside')
  git(at('default'), ['worktree', 'add', '-q', '-b', 'beside', beside])
  assert.equal((await world.copy()).status, 'active')
  assert.equal(existsSync(at('feature', '.git/worktrees')), false)
  assert.equal(
    git(at('feature'), ['for-each-ref', '--format=%(refname)', 'refs/heads']),
    'refs/heads/feature',
  )
  assert.equal(git(at('default'), ['rev-parse', '--verify', 'beside']), git(beside, ['rev-parse', 'HEAD']))
  assert.equal(git(beside, ['status', '--porcelain']), '')
})
