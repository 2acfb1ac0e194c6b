import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, fail } from '@fleet/contract'
import {
  addInstance,
  addNode,
  addProcess,
  addProject,
  fakeCall,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { keepingEvents } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'

/** Stops the Processes of an Instance on a Node that answers each stop in this way, and counts the stops. */
async function stopped(error: () => Error): Promise<number> {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const instance = await addInstance(store, { project_id: (await addProject(store)).id, node_id })
  for (const name of ['queue', 'web'])
    await addProcess(store, { instance_id: instance.id, name, desired_state: 'running' })
  let asked = 0
  const ask = async () => {
    asked += 1
    throw error()
  }
  const session = { call: fakeCall(), ask } as unknown as NodeSession // Stopping does nothing else on the Node.
  await testDomains({ store }).processes.runtime.stop(session, instance.id)
  return asked
}

test('a removal goes on where a Process was never installed or is of somebody else, and ends at one that cannot be stopped', async () => {
  const coded = (code: ErrorCode, reason?: string) => () =>
    fail(code, reason === undefined ? {} : { details: { reason } })
  assert.equal(await stopped(coded('process.runtime_failed', 'missing')), 2)
  assert.equal(await stopped(coded('process.unit_conflict')), 2)
  assert.equal(await stopped(coded('process.container_conflict')), 2)
  assert.equal(await stopped(coded('node.capability_missing')), 2)
  const ends = [coded('process.runtime_failed', 'failed'), coded('node.unreachable')]
  for (const error of ends) await assert.rejects(stopped(error), { code: error().code })
  await assert.rejects(
    stopped(() => new Error('a defect')),
    { message: 'a defect' },
  )
})

test('a Process that was removed with its Instance is published although the next one fails [EV-032]', async () => {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const { id: instance_id } = await addInstance(store, { project_id: (await addProject(store)).id, node_id })
  const first = await addProcess(store, { instance_id, name: 'queue', keep_alive: 1 })
  await addProcess(store, { instance_id, name: 'web', keep_alive: 1 })
  const call = fakeCall()
  let removed = 0
  const ask = async () => {
    if (++removed > 1) throw fail('process.runtime_failed')
    return { kept: [] }
  }
  const session = { call, ask } as unknown as NodeSession // Removing does nothing else on the Node.
  const removal = testDomains({ store }).processes.runtime.remove(session, instance_id)
  await assert.rejects(removal, { code: 'process.runtime_failed' })
  assert.deepEqual(call.published, [{ type: 'process.deleted', data: { id: first.id, name: 'queue' } }])
})

test('Processes of a Node that is removed without being reached go with its record, and are then published [EV-032]', async () => {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const { id, name } = await addProcess(store, { node_id })
  const call = fakeCall()
  const { processes } = testDomains({ store })
  const undone = store.transaction(async (db) => {
    await processes.dropOn(db, call, node_id)
    throw new Error('the Node stays')
  })
  await assert.rejects(undone, /the Node stays/)
  assert.equal(await processes.countOn(node_id), 1)
  const kept = keepingEvents(call)
  await store.transaction((db) => processes.dropOn(db, kept.call, node_id))
  assert.equal(await processes.countOn(node_id), 0)
  await kept.publish()
  assert.deepEqual(call.published, [{ type: 'process.deleted', data: { id, name } }])
})
