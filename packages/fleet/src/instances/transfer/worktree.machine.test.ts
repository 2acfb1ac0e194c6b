import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemIds } from '@fleet/kernel'
import { runSteps } from '@fleet/steps'
import { MemoryLog } from '@fleet/steps/testing'
import type { TransferRecord } from '@fleet/store'
import { addNode, localSession } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { aPart, cloned, deadlyPrograms, register, upTo, walk } from '#/instances/registration/world.test.ts'
import { placeOf } from '#/instances/steps/place.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { type InstanceRow, makeInstanceQueries } from '#/instances/queries.ts'
import { detachWorktree } from './commands/transfer-source.ts'
import { detach, requireMovable } from './movable.ts'
import { instanceTransfer, type Transfer } from './steps.ts'

/** A managed checkout with work of every kind, and a linked worktree of it with more. */
async function managed(fleet: InstancesFleet) {
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  git(source, ['pack-refs', '--all'])
  git(source, ['branch', 'loose'])
  const path = join(folder, 'beside')
  git(source, ['worktree', 'add', '-q', '-b', 'work', path])
  git(path, ['commit', '-q', '--allow-empty', '-m', 'only in the worktree'])
  git(path, ['update-ref', 'refs/worktree/saved', 'HEAD'])
  git(source, ['update-ref', 'refs/worktree/saved', 'HEAD~1'])
  writeFileSync(join(path, '.env'), 'SECRET=worktree\n', { mode: 0o600 })
  writeFileSync(join(path, 'staged.txt'), 'staged\n')
  git(path, ['add', 'staged.txt'])
  writeFileSync(join(path, 'untracked.txt'), 'untracked\n')
  const { data } = await register(fleet, { source_path: source, include_worktrees: true })
  const [main, worktree] = data.instances
  assert.ok(main && worktree)
  return { main, worktree }
}

/** Everything that Git has for a checkout, and what is in its directory. */
const stateOf = (path: string) => ({
  head: git(path, ['symbolic-ref', 'HEAD']),
  refs: git(path, ['for-each-ref']),
  index: git(path, ['ls-files', '-s']),
  status: git(path, ['status', '--porcelain']),
  log: git(path, ['reflog', '--format=%H %gs']),
  stash: git(path, ['stash', 'list', '--format=%H %gs']),
  files: walk(path).filter((entry) => !entry.startsWith('.git')),
})

const rowOf = ({ store }: InstancesFleet, id: number) =>
  store.db.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a worktree that is moved to another Node becomes a checkout with all that its repository has, which stays whole [INS-094]', async () => {
  await using fleet = await startInstancesFleet()
  const { main, worktree } = await managed(fleet)
  const home = join(fleet.home, 'other')
  mkdirSync(home)
  const node = { ...(await addNode(fleet.store, { user_home: home })), activeRoles: ['app-dev'] as const }
  const [before, mainBefore] = [stateOf(worktree.checkout_path), stateOf(main.checkout_path)]
  const transfer = await transferTo(fleet, await rowOf(fleet, worktree.id), node)
  await runSteps(instanceTransfer, transfer, new MemoryLog())
  const data = await rowOf(fleet, worktree.id)
  assert.deepEqual(
    [data.source_layout, data.worktree_of, data.node_id, data.checkout_path],
    ['checkout', null, node.id, join(home, 'apps', 'app', 'beside')],
  )
  assert.deepEqual(stateOf(data.checkout_path), before)
  git(data.checkout_path, ['fsck', '--no-dangling'])
  assert.deepEqual([existsSync(worktree.checkout_path), stateOf(main.checkout_path)], [false, mainBefore])
  assert.equal(git(main.checkout_path, ['worktree', 'list']).split('\n').length, 1)
  assert.deepEqual(readdirSync(join(fleet.apps, 'app')), ['default'])
})

test('a worktree whose transfer is undone is recorded as what the checkout is by then, and can be removed', async () => {
  await using fleet = await startInstancesFleet()
  const { main, worktree } = await managed(fleet)
  const home = join(fleet.home, 'other')
  mkdirSync(home)
  const node = { ...(await addNode(fleet.store, { user_home: home })), activeRoles: ['app-dev'] as const }
  const layout = async () => {
    const { source_layout, worktree_of } = await rowOf(fleet, worktree.id)
    return [source_layout, worktree_of]
  }
  const undone = async () => {
    const transfer = await transferTo(fleet, await rowOf(fleet, worktree.id), node)
    await assert.rejects(runSteps(instanceTransfer, transfer, new MemoryLog()))
    const record = { ...transfer.record, status: 'rolled_back' } as const
    await makeInstanceQueries(fleet.store).update(worktree.id, { transfer: record })
  }
  fleet.pool.failBefore((shown) => shown.includes('detach'))
  await undone()
  assert.deepEqual(await layout(), ['worktree', main.id])
  fleet.pool.clearFaults()
  // It outlives the connection of its request.
  fleet.pool.loseReplyOf((shown) => shown.includes('detach'))
  await undone()
  assert.deepEqual(await layout(), ['checkout', null])
  fleet.pool.clearFaults()
  await fleet.destroy(worktree.id, true)
  assert.equal(existsSync(worktree.checkout_path), false)
})

test('a worktree gets a repository of its own wherever the script dies, and loses nothing [INS-094]', async () => {
  const tools = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-deadly-')))
  try {
    const programs = deadlyPrograms(tools)
    await using fleet = await startInstancesFleet({ env: { PATH: programs.path } })
    const { main } = await managed(fleet)
    const session = localSession(fleet.pool, { node: fleet.node })
    let count = 0
    const detachAt = async (number: number): Promise<number> => {
      count += 1
      const source = join(fleet.home, 'src', `t${count}`)
      git(main.checkout_path, ['worktree', 'add', '-q', '-b', `t${count}`, source])
      writeFileSync(join(source, 'untracked.txt'), 'untracked\n')
      const { data } = await register(fleet, { source_path: source })
      const { checkout_path: path } = data.app_instance
      const place = placeOf(await rowOf(fleet, data.app_instance.id))
      const before = stateOf(path)
      const mainBefore = stateOf(main.checkout_path)
      programs.dieAt(number)
      await session.ask(detachWorktree, place).catch(() => undefined)
      const started = programs.count()
      programs.dieAt(0)
      assert.equal((await session.ask(detachWorktree, place)).word, 'detached', `${number}`)
      assert.deepEqual(stateOf(path), before, `${number}`)
      assert.deepEqual(stateOf(main.checkout_path), mainBefore, `${number}`)
      git(path, ['fsck', '--no-dangling'])
      assert.deepEqual(readdirSync(join(main.checkout_path, '.git', 'worktrees')), ['beside'])
      assert.deepEqual(
        readdirSync(join(fleet.apps, 'app')).filter((name) => name.startsWith('.')),
        [],
      )
      // It is a checkout with a receipt of its own.
      assert.equal((await session.ask(detachWorktree, place)).word, 'detached')
      rmSync(path, { recursive: true })
      return started
    }
    const started = await detachAt(0)
    assert.ok(started > 10, `${started}`)
    for (const number of aPart(upTo(started), 6)) await detachAt(number)
  } finally {
    rmSync(tools, { recursive: true, force: true })
  }
})

test('a worktree with submodules is not moved, and stays a worktree', async () => {
  await using fleet = await startInstancesFleet()
  const { main, worktree } = await managed(fleet)
  mkdirSync(join(main.checkout_path, '.git', 'worktrees', 'beside', 'modules'))
  const place = placeOf(await rowOf(fleet, worktree.id))
  const checkout = { session: localSession(fleet.pool, { node: fleet.node }), project: fleet.project }
  for (const refuse of [requireMovable, detach])
    await assert.rejects(refuse(checkout, place), {
      code: 'instance.source_layout_mismatch',
      message: /it has submodules/,
    })
  assert.deepEqual(readdirSync(join(main.checkout_path, '.git', 'worktrees')), ['beside'])
})

/** What `instance:transfer` makes of a request, without what is not of the checkout. */
async function transferTo(fleet: InstancesFleet, row: InstanceRow, node: NodeRecord): Promise<Transfer> {
  const record: TransferRecord = {
    operation_id: systemIds.uuid(),
    source_preparation_id: row.preparation_id,
    requested_name: null,
    source_node_id: row.node_id,
    source_path: row.checkout_path,
    destination_node_id: node.id,
    destination_name: row.name,
    destination_path: join(node.user_home, 'apps', 'app', row.name),
    destination_domain: 'shop.test',
    status: 'running',
    steps: {},
    failed_step: null,
    error_code: null,
    content_digest: null,
  }
  const nothing = async (): Promise<undefined> => undefined
  return {
    source: { session: localSession(fleet.pool, { node: fleet.node }), project: fleet.project },
    destination: { session: localSession(fleet.pool, { node }), project: fleet.project },
    store: fleet.store,
    queries: makeInstanceQueries(fleet.store),
    routes: { publish: nothing, unpublish: nothing, move: nothing, tellMoved: nothing },
    runtime: { stop: nothing },
    moves: {
      resume: nothing,
      withdraw: nothing,
      carrySleep: nothing,
      schedulesOf: async () => [],
      relocate: async () => [],
      rebuildEnvironment: nothing,
    },
    plan: async () => [],
    row: await makeInstanceQueries(fleet.store).update(row.id, { transfer: record }),
    record,
  }
}
