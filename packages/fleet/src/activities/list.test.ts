import assert from 'node:assert/strict'
import type { InputOf } from '@fleet/contract'
import {
  addActivity,
  addGatewayNode,
  addGrant,
  addNode,
  asCaller,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'
import { makeList } from '#/activities/list.ts'

type Caller = ReturnType<typeof asCaller>
type Input = Partial<InputOf<'activity:list'>>

async function listed(fleet: NodesFleet, caller: Caller, input: Input = {}): Promise<readonly number[]> {
  const list = makeList(fleet.store, fleet.nodes.nodes)
  const { data } = await list({ call: fakeCall({ caller }), input: { limit: 25, ...input } })
  return data.map(({ id }) => id)
}

forEachDialect(
  'rows come newest first, in pages that go backwards [ACT-005, ACT-006, ACT-007]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const caller = asCaller(await addGatewayNode(fleet.store), true)
    const ids: number[] = []
    for (let index = 0; index < 5; index += 1) ids.unshift((await addActivity(fleet.store)).id)
    assert.deepEqual(await listed(fleet, caller), ids)
    assert.deepEqual(await listed(fleet, caller, { limit: 2 }), ids.slice(0, 2))
    assert.deepEqual(await listed(fleet, caller, { limit: 2, before_id: ids[1] }), ids.slice(2, 4))
  },
)

forEachDialect('each filter keeps its rows, together they keep what all keep [ACT-006]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const caller = asCaller(await addGatewayNode(fleet.store), true)
  const request_id = '6f0d2c1e-0b1d-4c55-8c0f-0d6a4f0b5a11'
  const given: readonly Parameters<typeof addActivity>[1][] = [
    { request_id },
    { status: 'failed' },
    { command: 'node:rename' },
    { caller_node_id: 7 },
    { target_node_id: 7 },
    { request_id, status: 'failed', command: 'node:rename', caller_node_id: 7, target_node_id: 7 },
  ]
  const [a, b, c, d, e, all] = await Promise.all(
    given.map(async (row) => (await addActivity(fleet.store, row)).id),
  )
  const pair = (one: number | undefined) => [one, all].toSorted((x, y) => Number(y) - Number(x))
  assert.deepEqual(await listed(fleet, caller, { request_id: request_id.toUpperCase() }), pair(a))
  const { id: shouted } = await addActivity(fleet.store, {
    request_id: 'ABCDEF00-0000-0000-0000-000000000001',
  })
  for (const written of ['abcdef00-0000-0000-0000-000000000001', 'ABCDEF00-0000-0000-0000-000000000001'])
    assert.deepEqual(await listed(fleet, caller, { request_id: written }), [shouted])
  assert.deepEqual(await listed(fleet, caller, { status: 'failed' }), pair(b))
  assert.deepEqual(await listed(fleet, caller, { command: 'node:rename' }), pair(c))
  assert.deepEqual(await listed(fleet, caller, { caller_node_id: 7 }), pair(d))
  assert.deepEqual(await listed(fleet, caller, { target_node_id: 7 }), pair(e))
  assert.deepEqual(
    await listed(fleet, caller, { status: 'failed', command: 'node:rename', caller_node_id: 7 }),
    [all],
  )
})

forEachDialect(
  'a peer sees rows that its own or a granted Node made or served; a gateway grant shows all [ACT-009]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const [own, granted, other] = [
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, own, granted)
    const made = await addActivity(fleet.store, { caller_node_id: own.id, target_node_id: other.id })
    const served = await addActivity(fleet.store, { caller_node_id: other.id, target_node_id: granted.id })
    const foreign = await addActivity(fleet.store, { caller_node_id: other.id, target_node_id: other.id })
    const nobody = await addActivity(fleet.store)
    assert.deepEqual(await listed(fleet, asCaller(own)), [served.id, made.id])
    await addGrant(fleet.store, own, gateway)
    const all = [nobody.id, foreign.id, served.id, made.id]
    assert.deepEqual(await listed(fleet, asCaller(own)), all)
    assert.deepEqual(await listed(fleet, asCaller(gateway, true)), all)
    await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', gateway.id).execute()
    assert.deepEqual(await listed(fleet, asCaller(own)), [served.id, made.id])
  },
)
