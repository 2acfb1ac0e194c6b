import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel, PresenceChannel } from 'pusher-js'
import type { LiveClient } from './client.ts'
import { startAgent } from './scripted-agent.ts'
import { type LiveWorld, startLiveWorld, until } from './world.ts'

type Members = ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]>

const membersOf = (channel: Channel): Members => {
  const members: [string, Record<string, unknown>][] = []
  const presence = channel as PresenceChannel // Every channel that is asked for its members is one by its name.
  presence.members.each(({ id, info }: { id: string; info: Record<string, unknown> }) =>
    members.push([id, info]),
  )
  return members
}
const usage = (client: LiveClient) => client.heard.filter(({ name }) => name === 'process.usage')
const nodeChannel = ({ fleet }: LiveWorld, node: 'granted' | 'ungranted' | 'gateway'): string =>
  `presence-node.${fleet.nodes[node]}`

/** Joins a Node's channel and waits until the gateway is there. */
async function look(world: LiveWorld, client: LiveClient, name: string): Promise<Channel> {
  const channel = await client.join(name)
  await until('the gateway is a member', () => membersOf(channel).some(([id]) => id.startsWith('gateway.')))
  assert.ok(world)
  return channel
}

test('the gateway is a member of the channels of every managed Node, by its own signature [AG-006, AG-008, AG-010, AG-011, AG-013, AG-014]', async () => {
  await using world = await startLiveWorld()
  const client = await world.client('granted')
  await world.fleet.ask(
    'PUT',
    `/api/v1/nodes/${world.fleet.nodes.gateway}/access/${world.fleet.nodes.granted}`,
  )
  for (const node of ['gateway', 'granted', 'ungranted'] as const) {
    const channel = await look(world, client, nodeChannel(world, node))
    const [own, gateway, ...others] = membersOf(channel).toSorted(([a], [b]) => (a < b ? 1 : -1))
    assert.deepEqual(own, [
      `viewer.${client.socketId}`,
      { kind: 'viewer', node_id: world.fleet.nodes.granted },
    ])
    assert.match(gateway?.[0] ?? '', /^gateway\.\d+\.\d+$/)
    assert.deepEqual([gateway?.[1], others], [{ kind: 'gateway' }, []])
  }
})

test('usage is reported every 15 seconds while somebody looks at a Node, and not before or after [EV-033, EV-034, EV-035, LIM-014]', async () => {
  await using world = await startLiveWorld()
  const client = await world.client()
  await client.join('private-fleet')
  const agent = await world.agent()
  const beat = (): void => agent.beat()
  await world.clock.leap(31, beat)
  assert.deepEqual(usage(client), [])
  await look(world, client, nodeChannel(world, 'ungranted'))
  await world.clock.leap(16, beat)
  await until('usage', () => usage(client).length === 1)
  const at = Math.floor(world.clock.now().getTime() / 1000)
  const { data } = usage(client)[0] ?? {}
  assert.deepEqual([data.type, data.data], ['process.usage', { part: 1, parts: 1, processes: [] }])
  assert.ok(data.id <= at && data.id > at - 20, `${data.id} at ${at}`)
  await world.clock.leap(30, beat)
  await until('two more', () => usage(client).length === 3)
  client.leave(nodeChannel(world, 'ungranted'))
  await world.clock.leap(1, beat)
  await world.clock.leap(31, beat)
  assert.equal(usage(client).length, 3)
})

test('whatever an agent tells or fails to tell is no event of the feed, and the gateway says nothing on its channel [AG-007, EV-088]', async () => {
  await using world = await startLiveWorld()
  const client = await world.client()
  await client.join('private-fleet')
  const agent = await world.agent()
  await look(world, client, agent.channel)
  const from = client.heard.length
  agent.snapshot([{ name: 'orbit-process-1-queue', runtime: 'systemd', runtime_status: 'active' }])
  agent.say('client-process', {
    unit: { name: 'orbit-process-1-queue', runtime: 'systemd', runtime_status: 'failed' },
  })
  await world.clock.leap(20)
  agent[Symbol.dispose]()
  await world.clock.leap(20)
  const heard = client.heard.slice(from).filter(({ name }) => name !== 'process.usage')
  const ofAgent = heard.filter(({ channel }) => channel === agent.channel)
  assert.deepEqual(
    heard.filter((event) => !ofAgent.includes(event)),
    [],
  )
  assert.deepEqual(
    ofAgent.map(({ name }) => name).filter((name) => !name.startsWith('client-')),
    [],
  )
})

test('an agent that owes a snapshot for 5 seconds sees the gateway leave and join again [AGT-040]', async () => {
  await using world = await startLiveWorld()
  const agent = await world.agent()
  const arrivals = (): number =>
    agent.heard.filter(
      ({ event, channel, data }) =>
        event === 'pusher:member_added' &&
        channel === agent.channel &&
        JSON.stringify(data).includes('gateway.'),
    ).length
  agent.snapshot()
  await world.clock.leap(8, () => agent.beat())
  const before = arrivals()
  agent.say('client-snapshot', { docker: 'absent', part: 2, parts: 2, units: [] })
  await world.clock.leap(4, () => agent.beat())
  assert.equal(arrivals(), before)
  await world.clock.leap(3, () => agent.beat())
  await until('the gateway asks', () => arrivals() === before + 1)
  agent.snapshot()
  await world.clock.leap(12, () => agent.beat())
  assert.equal(arrivals(), before + 1)
})

test('Nodes that come are joined and those that go are left, within seconds [AG-008]', async () => {
  await using world = await startLiveWorld()
  const client = await world.client()
  const channel = await look(world, client, nodeChannel(world, 'ungranted'))
  const { db } = world.fleet.store
  const isThere = (): boolean => membersOf(channel).some(([id]) => id.startsWith('gateway.'))
  const pin = (ssh_host_fingerprint: string | null) =>
    db
      .updateTable('nodes')
      .set({ ssh_host_fingerprint })
      .where('id', '=', world.fleet.nodes.ungranted)
      .execute()
  await pin(null)
  await world.clock.leap(6)
  await until('the gateway has left', () => !isThere())
  await pin(`SHA256:${'B'.repeat(43)}`)
  await world.clock.leap(6)
  await until('the gateway has come', isThere)
})

test('the gateway comes back after its connection broke, and follows the role to another server', async () => {
  await using world = await startLiveWorld()
  const client = await world.client()
  const first = await world.agent()
  await world.server().stop()
  await until('the subscriber is known to be away', async () => {
    const { json } = await world.open(client)
    return json.error?.details.reason === 'subscriber_down'
  })
  first[Symbol.dispose]()
  await world.move()
  await world.clock.leap(12)
  const moved = await world.client()
  const second = await world.agent()
  await look(world, moved, second.channel)
  const old = world.server()
  await world.move()
  await world.clock.leap(6)
  const last = await world.client()
  await look(world, last, second.channel)
  assert.notEqual(old.port, world.server().port)
  second[Symbol.dispose]()
  const third = await world.agent()
  await world.close(await world.follow(last))
  third[Symbol.dispose]()
})

test('without a realtime service a live log is refused for that reason, and an agent that did not join its log channel too [LOGS-025]', async () => {
  await using world = await startLiveWorld()
  const { fleet } = world
  const client = await world.client()
  const reason = async (): Promise<string> => (await world.open(client)).json.error.details.reason
  const { json } = await fleet.ask('GET', '/api/v1/realtime')
  using agent = await startAgent(fleet, { port: world.server().port, key: json.data.key })
  await until('its state is seen', async () => {
    agent.beat()
    return (await reason()) === 'agent_not_joined'
  })
  const roles = fleet.store.db.updateTable('node_roles').where('role', '=', 'websocket')
  await roles.set({ status: 'provisioning' }).execute()
  assert.equal(await reason(), 'realtime_not_configured')
  await fleet.store.db.updateTable('instances').set({ environment: 'production' }).execute()
  assert.equal(await reason(), 'ssh_only')
})
