import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import type { Row } from '@fleet/store'
import { addNode, addRole, fakeCall, forEachDialect, startNodesFleet, testDomains } from '@fleet/testing'
import { newRealtimeSettings } from '#/realtime/api.ts'
import { readChannel } from '#/realtime/channels.ts'

const SETTINGS = { key: 'app-key', secret: 's3cret', host: 'reverb.fleet', port: 8790 }
const app = { key: SETTINGS.key, secret: new Secret(SETTINGS.secret) }

type Fleet = Awaited<ReturnType<typeof startNodesFleet>>

async function withServer(fleet: Fleet, status: Row<'node_roles'>['status'] = 'active', settings = SETTINGS) {
  const node = await addNode(fleet.store, { wireguard_ip: `10.44.0.${settings.port % 200}` })
  await addRole(fleet.store, { node_id: node.id, role: 'websocket', status })
  await fleet.nodes.holders.ensureSettings(node.id, 'websocket', settings)
  return node
}

forEachDialect(
  'the feed is where the active websocket role is, and nowhere without one [RT-006, RT-007, RT-008, RT-009]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { handlers } = testDomains(fleet).realtime
    const show = () => handlers['realtime:show']({ call: fakeCall(), input: {} })
    const nowhere = { data: { url: null, key: null, channel: 'fleet' } }
    assert.deepEqual(await show(), nowhere)
    await withServer(fleet, 'provisioning', { ...SETTINGS, port: 8791 })
    assert.deepEqual(await show(), nowhere)
    await withServer(fleet)
    assert.deepEqual(await show(), {
      data: { url: 'wss://reverb.fleet:8790', key: 'app-key', channel: 'fleet' },
    })
  },
)

forEachDialect(
  'the feed and viewers of a Node are signed, with the Node that the viewer came from [RT-001, RT-005, RT-015, AG-011, AG-014]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { handlers } = testDomains(fleet).realtime
    const { id } = await withServer(fleet)
    const call = fakeCall({ caller: { id: 5, name: 'laptop', address: '10.44.0.5', isGateway: false } })
    for (const name of ['broadcasting:authorize', 'broadcasting:show'] as const) {
      const ask = async (channel_name: string) =>
        (await handlers[name]({ call, input: { socket_id: '1.2', channel_name } })).data
      assert.deepEqual(await ask('private-fleet'), { auth: channelAuth(app, '1.2', 'private-fleet') })
      assert.deepEqual(await ask('fleet'), { auth: channelAuth(app, '1.2', 'fleet') })
      const channel_data = JSON.stringify({
        user_id: 'viewer.1.2',
        user_info: { kind: 'viewer', node_id: 5 },
      })
      const auth = channelAuth(app, '1.2', `presence-node.${id}`, channel_data)
      assert.deepEqual(await ask(`presence-node.${id}`), { auth, channel_data })
    }
  },
)

forEachDialect(
  'what this endpoint does not sign is refused, and everything while nobody serves the feed [RT-004, RT-011, RT-012, RT-013, RT-014]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { handlers } = testDomains(fleet).realtime
    const ask = (channel_name: string) =>
      handlers['broadcasting:authorize']({ call: fakeCall(), input: { socket_id: '1.2', channel_name } })
    await assert.rejects(ask('private-fleet'), { code: 'realtime.not_configured', status: 404 })
    const { id } = await withServer(fleet)
    const forbidden = [
      `presence-node.${id + 1}`,
      'presence-node.9007199254740993',
      'presence-node-logs.1',
      'presence-node.abc',
      'presence-node.0',
      'presence-node.1x',
      'private-log-stream.x',
      'private-other',
      'presence-other',
      'news',
    ]
    for (const name of forbidden)
      await assert.rejects(ask(name), { code: 'broadcast.channel_forbidden', status: 403 }, name)
  },
)

forEachDialect(
  'a server that the role leaves is reported beside the one it moved to [LIM-004]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { servers } = testDomains(fleet).realtime
    const old = await withServer(fleet, 'removing', { ...SETTINGS, port: 8791 })
    const now = await withServer(fleet)
    const { current, leaving } = await servers()
    assert.deepEqual([current?.nodeId, leaving.map(({ nodeId }) => nodeId)], [now.id, [old.id]])
  },
)

forEachDialect('credentials are made once and what is stored stays [ROLE-033]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await withServer(fleet)
  const again = newRealtimeSettings('other.fleet', 9000)
  assert.deepEqual(await fleet.nodes.holders.ensureSettings(node.id, 'websocket', again), SETTINGS)
  const row = await fleet.store.db.selectFrom('node_roles').select('settings').executeTakeFirstOrThrow()
  assert.doesNotMatch(row.settings ?? '', /s3cret/)
})

test('a Node channel has the id of a Node in it and nothing more', () => {
  assert.deepEqual(readChannel('presence-node.12'), { kind: 'node', name: 'presence-node.12', nodeId: 12 })
  for (const name of ['presence-node.', 'presence-node.-1', 'presence-node.01', 'presence-node.1.2'])
    assert.equal(readChannel(name), undefined, name)
})
