import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addGrant,
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { instanceStatuses } from '@fleet/contract'
import type { Row, Store } from '@fleet/store'

/** The domain over a store alone: reads contact no Node. */
function domainOver(store: Store) {
  const pool = localPool({ home: '/nowhere' })
  const git = { defaultBranch: never, hasBranch: never, githubToken: never }
  return { ...testDomains({ store, ssh: pool }, { git }).instances, pool }
}
const never = (): never => {
  throw new Error('a read asked a remote')
}

const callFrom = (node: Row<'nodes'>) => fakeCall({ caller: asCaller(node) })

test('a list holds what the caller may address, without asking a Node [INS-023]', async () => {
  await using store = await openTestStore()
  const [own, granted, hidden] = [await addNode(store), await addNode(store), await addNode(store)]
  await addGrant(store, own, granted)
  const project_id = (await addProject(store)).id
  for (const node of [own, granted, hidden])
    await addInstance(store, { project_id, node_id: node.id, name: `on-${node.id}` })
  const { handlers, pool } = domainOver(store)
  const { data } = await handlers['instance:list']({ call: callFrom(own), input: {} })
  assert.deepEqual(
    data.map(({ name }) => name),
    [`on-${own.id}`, `on-${granted.id}`],
  )
  const { data: shown } = await handlers['instance:show']({
    call: callFrom(own),
    input: { instance: data[0]?.id ?? 0 },
  })
  assert.deepEqual(shown, data[0])
  assert.deepEqual(pool.commands, [])
})

test('a list shows the progress of a removal as show does [INS-011]', async () => {
  await using store = await openTestStore()
  const node = await addNode(store)
  const row = await addInstance(store, {
    project_id: (await addProject(store)).id,
    node_id: node.id,
    status: 'removing',
    removal_operation_id: '00000000-0000-4000-8000-000000000001',
    removal_force: 1,
    removal_status: 'failed',
    removal_step: 'source_finalization',
    removal_completed: 2,
    removal_error_code: 'node.unreachable',
  })
  const { handlers } = domainOver(store)
  const { data: listed } = await handlers['instance:list']({ call: callFrom(node), input: {} })
  const { data: shown } = await handlers['instance:show']({
    call: callFrom(node),
    input: { instance: row.id },
  })
  assert.deepEqual(listed, [shown])
  assert.deepEqual(
    [shown.removal?.completed, shown.removal?.remaining, shown.removal?.failed_step],
    [2, 3, 'source_finalization'],
  )
})

test('a list of active Instances shows a setup that nobody finished, as show does', async () => {
  await using store = await openTestStore()
  const node = await addNode(store)
  const project_id = (await addProject(store)).id
  await addInstance(store, {
    project_id,
    node_id: node.id,
    name: 'a',
    setup: 'pending',
    failed_step: 'setup',
  })
  const failed = {
    setup: 'repeated',
    failed_step: 'setup',
    error_code: 'instance.setup_step_failed',
  } as const
  await addInstance(store, { project_id, node_id: node.id, name: 'b', ...failed })
  await addInstance(store, { project_id, node_id: node.id, name: 'c' })
  const { handlers } = domainOver(store)
  const call = callFrom(node)
  const { data: listed } = await handlers['instance:list']({ call, input: {} })
  assert.deepEqual(
    listed.map(({ failed_step, error_code }) => [failed_step, error_code]),
    [
      ['setup', null],
      ['setup', 'instance.setup_step_failed'],
      [null, null],
    ],
  )
  for (const one of listed)
    assert.deepEqual((await handlers['instance:show']({ call, input: { instance: one.id } })).data, one)
})

test('a root of its own wins over the one of the Project [INS-006, PRJ-008]', async () => {
  await using store = await openTestStore()
  const node = await addNode(store)
  const project_id = (await addProject(store, { root: 'public' })).id
  const inherited = await addInstance(store, { project_id, node_id: node.id })
  const own = await addInstance(store, { project_id, node_id: node.id, root: 'web' })
  const show = domainOver(store).handlers['instance:show']
  const roots = async (instance: number) => {
    const { data } = await show({ call: callFrom(node), input: { instance } })
    return [data.root, data.effective_root]
  }
  assert.deepEqual(await roots(inherited.id), [null, 'public'])
  assert.deepEqual(await roots(own.id), ['web', 'web'])
})

test('an Instance shows its layout, its commit, whether it is detached or needs a migration, and each status [INS-004, INS-008, INS-009]', async () => {
  await using store = await openTestStore()
  const node = await addNode(store)
  const placed = { project_id: (await addProject(store)).id, node_id: node.id }
  const show = domainOver(store).handlers['instance:show']
  const shown = async (given: Parameters<typeof addInstance>[1]) => {
    const { id } = await addInstance(store, given)
    const { data } = await show({ call: callFrom(node), input: { instance: id } })
    return [data.source_layout, data.starting_commit, data.detached, data.migration_required, data.status]
  }
  const statuses = ['reserved', 'checkout_prepared', 'source_resolved', 'active', 'removing'] as const
  assert.deepEqual(instanceStatuses, statuses)
  for (const status of statuses) {
    const bits = { detached: 1, migration_required: 1 } as const
    const worktree = { source_layout: 'worktree', starting_commit: 'c0ffee', ...bits } as const
    const given = { ...placed, ...worktree, name: `a-${statuses.indexOf(status)}`, status }
    assert.deepEqual(await shown(given), ['worktree', 'c0ffee', true, true, status])
  }
  const checkout = { ...placed, name: 'b', source_layout: 'checkout', starting_commit: null } as const
  assert.deepEqual(await shown(checkout), ['checkout', null, false, false, 'active'])
  const production = { ...placed, name: 'c', environment: 'production', source_layout: null } as const
  assert.equal((await shown(production))[0], null)
})
