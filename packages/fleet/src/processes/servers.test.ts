import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'

test('the Process of a server is published when it runs and when it is gone, whatever becomes of the server [EV-030, EV-032]', async () => {
  await using store = await openTestStore()
  const { nodes, processes } = testDomains({ store })
  const node = await nodes.nodes.find((await addNode(store, { platform: 'linux' })).id)
  assert.ok(node)
  const call = fakeCall()
  const ask = async () => ({ status: 'running' })
  const session = { call, node, ask } as unknown as NodeSession // A container is installed in one question.
  const request = { node, name: 'database', image: 'postgres:17', command: [] }
  const { id } = await processes.servers.reserve(call, request)
  assert.deepEqual(call.published, [])
  await processes.servers.run(session, id)
  await processes.servers.remove(call, id, undefined)
  assert.deepEqual(
    call.published.map(({ type, data }) => [type, Object(data).id, Object(data).name]),
    [
      ['process.created', id, 'database'],
      ['process.deleted', id, 'database'],
    ],
  )
})
