import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock, systemIds } from '@fleet/kernel'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { InstanceDeps } from '#/instances/deps.ts'
import { makeInstanceQueries } from '#/instances/queries.ts'
import { removeRecord } from './remove-record.ts'

test('what goes with the record of an Instance is published once the transaction is committed, and not before [EV-032]', async () => {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const node = await testDomains({ store }).nodes.nodes.find(node_id)
  const project = await addProject(store)
  const { id } = await addInstance(store, { project_id: project.id, node_id })
  const row = await makeInstanceQueries(store).find(id)
  assert.ok(row && node)
  const call = fakeCall()
  const sent: unknown[] = []
  const deleted = { type: 'process.deleted', data: { id: 1, name: 'queue' } } as const
  const deps = {
    store,
    ids: systemIds,
    clock: systemClock,
    routes: { withdrawNames: async () => undefined, leaveBehind: async () => undefined },
    runtime: {
      leaveBehind: async (_db: unknown, { event }: typeof call) => {
        event(deleted.type, deleted.data)
        sent.push(...call.published)
      },
    },
  } as unknown as InstanceDeps // What the removal of a record uses.
  await removeRecord(deps, call, { row, node, project })
  assert.deepEqual([sent, call.published], [[], [deleted]])
})
