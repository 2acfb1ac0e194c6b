import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { addGrant, addInstance, addNode, addProject, fakeCall, testDomains } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { type CopyWorld, startCopyWorld, textIn, walk } from './world.test.ts'

const TEST_PERSON = ['-c', 'user.name=T', '-c', 'user.email=t@example.com']

/** The request is refused before anything is made. */
async function refused(
  world: CopyWorld,
  code: string,
  given: Partial<InputOf<'instance:create'>> = {},
  what = code,
): Promise<Awaited<ReturnType<typeof refusalOf>>> {
  const { fleet, at } = world
  const rows = () => fleet.store.db.selectFrom('instances').select(['id', 'status']).orderBy('id').execute()
  const before = [await rows(), fleet.residue(), walk(at('default'))]
  const found = await refusalOf(world.copy({ name: 'never', ...given }))
  assert.deepEqual([found.code, found.status], [code, code.endsWith('_missing') ? 404 : 409], what)
  assert.deepEqual([await rows(), fleet.residue(), walk(at('default'))], before, what)
  return found
}

test('a source that the record alone refuses is not copied [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, source } = world
  const { db } = fleet.store
  await refused(world, 'instance.copy_source_missing', { source_instance_id: 999 })
  const other = await addProject(fleet.store)
  const foreign = await addInstance(fleet.store, { project_id: other.id, node_id: fleet.node.id })
  await refused(world, 'instance.copy_project_mismatch', { source_instance_id: foreign.id })
  const away = await addNode(fleet.store)
  const distant = await addInstance(fleet.store, { project_id: fleet.project.id, node_id: away.id })
  await addGrant(fleet.store, { id: fakeCall().caller?.id ?? 0 }, away)
  await refused(world, 'instance.copy_node_mismatch', { source_instance_id: distant.id })
  await refused(world, 'instance.copy_root_mismatch', { root: 'web' })
  const { transfer: _none, ...row } = await db
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', source.id)
    .executeTakeFirstOrThrow()
  for (const [code, values] of [
    ['instance.copy_source_not_development', { environment: 'production' }],
    ['instance.copy_source_inactive', { status: 'source_resolved' }],
    ['instance.copy_source_inactive', { database_pending: 'clone' }],
    ['instance.copy_source_layout_invalid', { source_layout: 'worktree' }],
    ['instance.copy_source_branch_invalid', { selected_branch: 'other' }],
    ['instance.copy_source_branch_invalid', { selected_branch: null, detached: 1 }],
  ] as const) {
    await db.updateTable('instances').set(values).where('id', '=', source.id).execute()
    await refused(world, code, {}, JSON.stringify(values))
    await db.updateTable('instances').set(row).where('id', '=', source.id).execute()
  }
  await assert.rejects(world.copy({ database_server: 'main' }), { code: 'validation.failed' })
})

test('a checkout that is not as Fleet knows it, or whose work would be copied, is refused [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const inSource = (...words: readonly string[]): string => git(at('default'), [...TEST_PERSON, ...words])
  world.put('default', 'untracked', 'work\n')
  const dirty = await refused(world, 'instance.copy_source_dirty')
  inSource('add', 'untracked')
  inSource('stash', 'push', '-q')
  const stashed = await refused(world, 'instance.copy_source_dirty', {}, 'stashed')
  assert.deepEqual([dirty.details['cleanliness'], stashed.details['cleanliness']], ['dirty', 'stashed'])
  inSource('stash', 'drop', '-q')
  inSource('checkout', '-q', '--detach')
  await refused(world, 'instance.copy_source_branch_invalid')
  inSource('checkout', '-q', 'main')
  inSource('worktree', 'add', '-q', at('default/beside'), '-b', 'beside')
  await refused(world, 'instance.copy_source_layout_invalid', {}, 'worktrees')
  inSource('worktree', 'remove', at('default/beside'))
  inSource('config', 'core.worktree', at('default'))
  await refused(world, 'instance.copy_source_layout_invalid', {}, 'core.worktree')
  inSource('config', '--unset', 'core.worktree')
  const borrowed = at('default', '.git/objects/info/alternates')
  writeFileSync(borrowed, `${at('default', '.git/objects')}\n`)
  await refused(world, 'instance.copy_source_layout_invalid', {}, 'alternates')
  rmSync(borrowed)
  inSource('remote', 'set-url', 'origin', 'https://elsewhere.test/other.git')
  await refused(world, 'instance.copy_source_unsafe', {}, 'origin')
  inSource('remote', 'set-url', 'origin', fleet.git.urlOf('app'))
  renameSync(at('default'), at('moved'))
  execFileSync('cp', ['-a', at('moved'), at('default')])
  await refused(world, 'instance.copy_source_unsafe', {}, 'a copy by hand')
  rmSync(at('default'), { recursive: true })
  renameSync(at('moved'), at('default'))
  assert.equal((await world.copy()).status, 'active')
})

test('a source whose dependencies were removed is not copied [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { store, pool } = world.fleet
  const asked: number[] = []
  const { hibernation: real } = testDomains({ store, ssh: pool, clock: systemClock })
  const hibernation = {
    ...real,
    isCold: async (_session: unknown, id: number) => {
      asked.push(id)
      return true
    },
  }
  const { instances } = testDomains({ store, ssh: pool, clock: systemClock }, { hibernation })
  await assert.rejects(world.copy({}, instances), { code: 'instance.copy_source_cold', status: 409 })
  assert.deepEqual(asked, [world.source.id])
})

test('a source that changes while it is copied leaves no copy, and the identical request makes one [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const done = join(fleet.home, 'done')
  world.beforeCopies(
    `[ -e '${done}' ] || { : >'${done}'; env -u GIT_DIR -u GIT_WORK_TREE git -C '${at('default')}' -c user.name=T -c user.email=t@example.com commit -q --allow-empty -m meanwhile; }`,
  )
  const before = fleet.residue()
  assert.equal((await refusalOf(world.copy())).code, 'instance.copy_source_changed')
  assert.deepEqual(
    fleet.residue().filter((name) => !name.includes('.git/')),
    before.filter((name) => !name.includes('.git/')),
  )
  const { starting_commit } = await world.copy()
  assert.equal(starting_commit, git(at('default'), ['rev-parse', 'HEAD']))
})

test('caches that vanish while they are copied are no failure, and a copy that fails says why and leaves nothing [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  const before = fleet.residue()
  world.beforeCopies("echo 'cp: error writing: No space left on device' >&2; exit 1")
  const full = await refusalOf(world.copy())
  assert.deepEqual([full.code, full.details['reason']], ['instance.copy_failed', 'storage_full'])
  world.beforeCopies("echo 'cp: cannot open: Permission denied' >&2; exit 1")
  const denied = await refusalOf(world.copy())
  assert.deepEqual([denied.code, denied.details['reason']], ['instance.copy_failed', 'failed'])
  assert.deepEqual(fleet.residue(), before)
  world.sharesBlocks(`rm -rf '${at('default', '.next')}'`)
  world.put('default', 'data/other', 'other\n')
  // Not copied a second time without.
  assert.equal((await world.copy()).copy_mode, 'reflink')
  assert.equal(textIn(at('feature', 'data/other')), 'other\n')
})

test('a SQLite file that nothing on the Node can copy as of one moment is no copy [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  mkdirSync(at('default', 'data/deep'))
  const database = new DatabaseSync(at('default', 'data/deep/app.sqlite'))
  database.exec('CREATE TABLE t (id INTEGER)')
  database.close()
  const before = fleet.residue()
  const { code, details } = await refusalOf(world.copy())
  assert.deepEqual(
    [code, details['path'], details['problem']],
    ['instance.copy_failed', 'data/deep/app.sqlite', 'command_missing'],
  )
  assert.deepEqual(fleet.residue(), before)
})

test('a copy that cannot read its origin leaves nothing behind', async () => {
  await using world = await startCopyWorld()
  const before = world.fleet.residue()
  world.fleet.git.down = true
  await assert.rejects(world.copy(), { code: 'instance.branch_resolution_failed' })
  assert.deepEqual(world.fleet.residue(), before)
})

test('a copy is refused where its branch has a file that Git ignores in the source [INS-073]', async () => {
  await using world = await startCopyWorld()
  const { fleet, at } = world
  fleet.git.commit('app', 'later', { 'a.txt': 'later\n', 'data/kept': 'of the branch\n' })
  const { details } = await refused(world, 'instance.copy_source_dirty', { branch: 'later' })
  assert.deepEqual([details['reason'], details['path']], ['in_the_way', 'data/kept'])
  await assert.rejects(world.copy({ branch: 'later' }), {
    message: `The branch later would overwrite \`data/kept\` in the checkout ${at('default')} on the Node ${fleet.node.name}. Move the file away or delete it, then repeat the request.`,
  })
  rmSync(at('default', 'data'), { recursive: true })
  await world.copy({ branch: 'later' })
  assert.equal(textIn(at('feature', 'data/kept')), 'of the branch\n')
})

test('a copy whose branch has files in Git LFS is refused where the Node has none', async () => {
  await using world = await startCopyWorld()
  world.fleet.git.commit('app', 'large', {
    '.gitattributes': '*.bin filter=lfs\n',
    'logo.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
  })
  const { code, details } = await refusalOf(world.copy({ branch: 'large' }))
  assert.deepEqual([code, details['reason']], ['instance.source_failed', 'lfs_missing'])
  assert.equal(existsSync(world.at('feature')), false)
})
