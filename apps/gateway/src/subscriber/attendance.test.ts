import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentNames, type NodeChannel, type RealtimeServer } from '@fleet/fleet'
import { nextTurn, Secret } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import {
  type Closed,
  type Connection,
  ConnectionFailure,
  type Members,
  type PusherMessage,
} from '@fleet/pusher-client'
import { countingIds, FakeClock } from '@fleet/testing'
import { pino } from 'pino'
import { Attendance } from './attendance.ts'

const SERVER: RealtimeServer = {
  nodeId: 1,
  nodeName: 'hub',
  address: '10.44.0.1',
  port: 8790,
  host: 'reverb.fleet',
  url: 'wss://reverb.fleet:8790',
  app: { id: 'fleet', key: 'key', secret: new Secret('secret') },
}

const HEARTBEAT = { sequence: 1, at: '2026-01-02T03:04:05Z' }
const NOBODY: Members = new Map()

/** A subscriber whose server is this test: `said` is what it did and what the views and logs heard. */
function begin(nodes: number[] = [7]) {
  const clock = new FakeClock()
  const said: string[] = []
  const logged: string[] = []
  const joins = new Map<string, PromiseWithResolvers<Members>>()
  const closed = Promise.withResolvers<Closed>()
  const stopping = new AbortController()
  const overdue: number[] = []
  const beats: boolean[] = []
  const state: { nodes: number[]; server: RealtimeServer | undefined } = { nodes, server: SERVER }
  let hear: (message: PusherMessage) => void = () => undefined
  const connection: Connection = {
    socketId: '1.2',
    subscribe: (name, auth) => {
      assert.equal(auth?.auth, channelAuth(SERVER.app, '1.2', name, auth?.channel_data))
      said.push(`join ${name}`)
      const join = Promise.withResolvers<Members>()
      joins.set(name, join)
      return join.promise
    },
    unsubscribe: (name) => void said.push(`leave ${name}`),
    trigger: () => undefined,
    buffered: 0,
    onMessage: (listener) => void (hear = listener),
    closed: closed.promise,
    [Symbol.dispose]: () => undefined,
  }
  const channel = (what: string): NodeChannel => ({
    joined: (members) => void said.push(`${what} joined by ${[...members.keys()].join() || 'nobody'}`),
    left: () => void said.push(`${what} left`),
    memberAdded: (id) => void said.push(`${what} added ${id}`),
    memberRemoved: (id) => void said.push(`${what} removed ${id}`),
    reported: (from, { event }) => void said.push(`${what} ${event} of ${from}`),
    gone: () => void said.push(`${what} gone`),
  })
  const views = {
    beat: (isConnected: boolean) => void beats.push(isConnected),
    overdue: () => overdue.splice(0),
    channel: (id: number) => channel(`view ${id}`),
  } as unknown as ConstructorParameters<typeof Attendance>[0]['views'] // What a subscriber asks of them.
  const attendance = new Attendance(
    {
      servers: async () => ({ current: state.server, leaving: [] }),
      managedNodes: async () => state.nodes,
      rootCertificate: '',
      views,
      logs: { channel: (id) => channel(`log ${id}`) },
      clock,
      ids: countingIds(),
      log: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
    },
    SERVER,
    connection,
  )
  const ended = attendance.run(stopping.signal)
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  }
  return {
    state,
    overdue,
    ended,
    beats,
    logged,
    close: () => {
      for (const join of joins.values()) join.reject(new ConnectionFailure('closed'))
      closed.resolve({ code: 1006, reason: '' })
    },
    /** What happened since it was asked last. */
    said: async () => {
      await settle()
      return said.splice(0)
    },
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1000)
        await settle()
      }
    },
    passTenth: () => clock.advance(100),
    hear: (message: PusherMessage) => hear(message),
    join: (name: string, members: Members = NOBODY) => joins.get(name)?.resolve(members),
    refuse: (name: string, error: Error) => joins.get(name)?.reject(error),
  }
}

const { channel: VIEW, logChannel: LOG, member: AGENT } = agentNames(7)

test('what arrives while a channel is being joined is heard after its members, and what comes later at once', async () => {
  const world = begin()
  assert.deepEqual(await world.said(), [`join ${VIEW}`, `join ${LOG}`])
  const beat: PusherMessage = { event: 'client-heartbeat', channel: VIEW, data: HEARTBEAT, userId: AGENT }
  world.hear(beat)
  world.hear({ event: 'pusher:member_removed', channel: VIEW, data: { user_id: 'viewer.1' } })
  assert.deepEqual(await world.said(), [])
  world.join(VIEW, new Map([[AGENT, {}]]))
  assert.deepEqual(await world.said(), [
    `view 7 joined by ${AGENT}`,
    `view 7 client-heartbeat of ${AGENT}`,
    'view 7 removed viewer.1',
  ])
  world.hear(beat)
  world.hear({ event: 'pusher:member_added', channel: VIEW, data: { user_id: 'viewer.2' } })
  assert.deepEqual(await world.said(), [`view 7 client-heartbeat of ${AGENT}`, 'view 7 added viewer.2'])
  world.close()
  assert.equal(await world.ended, 'ended')
  assert.deepEqual(await world.said(), ['view 7 left'])
  assert.deepEqual(new Set(world.beats), new Set([true]))
})

test('what is no message of an agent, of no member or of no channel is passed over', async () => {
  const world = begin()
  await world.said()
  world.join(VIEW)
  await world.said()
  world.hear({ event: 'client-heartbeat', channel: VIEW, data: { sequence: 0 } })
  world.hear({ event: 'client-nothing', channel: VIEW, data: HEARTBEAT })
  world.hear({ event: 'pusher:member_added', channel: VIEW, data: { name: 'viewer' } })
  world.hear({ event: 'client-heartbeat', channel: 'another', data: HEARTBEAT })
  world.hear({ event: 'client-heartbeat', data: HEARTBEAT })
  assert.deepEqual(await world.said(), [])
})

test('Nodes that come are joined and those that go are left, looked for every 5 seconds', async () => {
  const world = begin()
  await world.said()
  for (const name of [VIEW, LOG]) world.join(name)
  await world.said()
  world.state.nodes = [8]
  await world.pass(4)
  assert.deepEqual(await world.said(), [])
  await world.pass(1)
  const other = agentNames(8)
  assert.deepEqual(await world.said(), [
    `leave ${VIEW}`,
    'view 7 gone',
    `leave ${LOG}`,
    'log 7 gone',
    `join ${other.channel}`,
    `join ${other.logChannel}`,
  ])
})

test('a channel that owes a snapshot is left and joined again; one that is not joined is not', async () => {
  const world = begin()
  await world.said()
  for (const name of [VIEW, LOG]) world.join(name)
  await world.said()
  world.overdue.push(7, 9)
  await world.pass(1)
  assert.deepEqual(await world.said(), [`leave ${VIEW}`, 'view 7 left', `join ${VIEW}`])
})

test('a channel that cannot be joined is logged and tried again at the next look; the end of the connection is no news', async () => {
  const world = begin()
  await world.said()
  world.refuse(VIEW, new ConnectionFailure('refused'))
  world.refuse(LOG, new ConnectionFailure('closed'))
  await world.said()
  assert.equal(world.logged.length, 1)
  assert.match(world.logged[0] ?? '', /"node":7.*a channel of a Node could not be joined/)
  await world.pass(5)
  assert.deepEqual(await world.said(), [`join ${VIEW}`, `join ${LOG}`])
})

test('a server that moved, changed its key or is no more is left', async () => {
  for (const server of [
    undefined,
    { ...SERVER, url: 'wss://reverb.fleet:9443' },
    { ...SERVER, app: { ...SERVER.app, key: 'another' } },
  ]) {
    const world = begin([])
    await world.said()
    world.state.server = server
    await world.pass(5)
    assert.equal(await world.ended, 'moved')
  }
})

test('at most 50 channels are joined at once, and the next ones a tenth of a second later', async () => {
  const world = begin(Array.from({ length: 26 }, (_, at) => at + 1))
  const first = await world.said()
  assert.equal(first.length, 50)
  for (const line of first) world.join(line.replace('join ', ''))
  await world.said()
  world.passTenth()
  assert.deepEqual(await world.said(), [
    `join ${agentNames(26).channel}`,
    `join ${agentNames(26).logChannel}`,
  ])
})
