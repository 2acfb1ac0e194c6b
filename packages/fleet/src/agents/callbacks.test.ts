import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { makeBroadcastingAuth } from '#/agents/broadcasting-auth.ts'
import { makeLogStreamList, makeWorkspaceList } from '#/agents/lists.ts'
import type { AgentWork } from '#/agents/ports.ts'
import type { AgentRealtime } from '#/realtime/api.ts'
import { makeAgentRealtime } from '#/agents/realtime.ts'

const call = fakeCall({ caller: { id: 7, name: 'web-1', address: '10.44.0.7', isGateway: false } })
const configured: AgentRealtime = {
  service: () =>
    Promise.resolve({
      url: 'wss://realtime.fleet',
      address: '10.44.0.3',
      key: 'key',
      sign: (...given) => ({ auth: `key:${given[0]}`, channel_data: JSON.stringify(given.slice(1)) }),
    }),
}
const sign = (channel_name: string) =>
  makeBroadcastingAuth(configured)({ call, input: { socket_id: '1.2', channel_name, version: '1.0.0' } })

test('agent:realtime tells where the websocket role is [AGT-002]', async () => {
  const { data } = await makeAgentRealtime(configured)({ call, input: {} })
  assert.deepEqual(
    { url: data.url, address: data.address, key: data.key },
    { url: 'wss://realtime.fleet', address: '10.44.0.3', key: 'key' },
  )
})

test('agent:broadcasting:auth signs the membership in its own channels, with its version, in the bare form of the protocol [AGT-004, ACC-006]', async () => {
  for (const channel of ['presence-node.7', 'presence-node-logs.7']) {
    assert.deepEqual((await sign(channel)).data, {
      auth: 'key:1.2',
      channel_data: JSON.stringify([
        channel,
        { user_id: 'agent.7', user_info: { kind: 'agent', node_id: 7, version: '1.0.0' } },
      ]),
    })
  }
})

test('no channel of another Node or kind is signed [AGT-009]', async () => {
  for (const channel of [
    'presence-node.8',
    'presence-node.77',
    'presence-node-logs.8',
    'private-fleet',
    'fleet',
    'presence-node.7 ',
  ])
    await assert.rejects(sign(channel), { code: 'agent.channel_forbidden', status: 403 })
})

test('agent:workspace:list and agent:log-stream:list are those of the Node, cut to their limits [AGT-005, AGT-006]', async () => {
  const asked: number[] = []
  const work: AgentWork = {
    workspaces: (nodeId) => {
      asked.push(nodeId)
      return Promise.resolve(
        Array.from({ length: 70 }, (_, at) => ({
          instance_id: at + 1,
          path: '/a',
          base: 'main',
          start: null,
        })),
      )
    },
    logStreams: (nodeId) => {
      asked.push(nodeId)
      const source = { type: 'journal', unit: 'a.service' } as const
      return Promise.resolve(Array.from({ length: 20 }, () => ({ id: 'a'.repeat(32), lines: 10, source })))
    },
  }
  assert.equal((await makeWorkspaceList(work)({ call, input: {} })).data.length, 64)
  assert.equal((await makeLogStreamList(work)({ call, input: {} })).data.length, 16)
  assert.deepEqual(asked, [7, 7])
})
