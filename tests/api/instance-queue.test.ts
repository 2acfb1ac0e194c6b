import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addProject } from '@fleet/testing'
import { startTestGateway } from './harness.ts'

test('the queue of an Instance takes a state and a limit from 1 to 50 [INS-038, INS-125, INS-128]', async () => {
  await using fleet = await startTestGateway()
  const placed = { project_id: (await addProject(fleet.store)).id, node_id: fleet.nodes.granted }
  const path = `/api/v1/instances/${(await addInstance(fleet.store, placed)).id}/queue`
  const ask = (query: string) => fleet.ask('GET', `${path}${query}`, { from: 'granted' })
  for (const [query, state] of [
    ['', 'pending'],
    ['?state=completed&limit=1', 'completed'],
    ['?state=failed&limit=50', 'failed'],
  ] as const) {
    const { status, json } = await ask(query)
    assert.deepEqual([status, json.data], [200, { available: false, state }], query)
  }
  for (const query of ['?limit=51', '?limit=0', '?limit=x', '?state=other', '?state=', '?page=2']) {
    const { status, json } = await ask(query)
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'], query)
  }
})
