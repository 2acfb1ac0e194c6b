import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { openPlainDoor } from '../feed/plain-door.ts'
import { type LiveWorld, startLiveWorld } from './world.ts'

/** Everything that a client could change through the socket, were it listened to. */
async function state({ fleet }: LiveWorld): Promise<unknown> {
  const read = async (path: string) => (await fleet.ask('GET', `/api/v1/${path}`)).json.data
  const changes = await fleet.store.db
    .selectFrom('activities')
    .select(['command', 'request_id'])
    .where('command', 'in', changing)
    .execute()
  return { nodes: await read('nodes'), projects: await read('projects'), changes }
}

const changing = catalogue.filter(({ method }) => method !== 'GET').map(({ name }) => name)

test('the feed takes no commands: whatever is sent over the socket, nothing changes and nothing is recorded [API-006]', async () => {
  await using world = await startLiveWorld()
  const { fleet } = world
  const { key } = (await fleet.ask('GET', '/api/v1/realtime')).json.data
  await using door = await openPlainDoor({ port: world.server().port, authority: fleet.ca })
  const socket = new WebSocket(`ws://127.0.0.1:${door.port}/app/${key}?protocol=7`)
  const told = tellerOf(socket)
  const { socket_id } = JSON.parse((await told('pusher:connection_established')).data)
  const channel_name = `presence-node.${fleet.nodes.granted}`
  const signed = await fleet.ask('POST', '/api/v1/broadcasting/auth', { body: { socket_id, channel_name } })
  const send = (event: string, data: unknown, channel?: string): void =>
    socket.send(JSON.stringify({ event, data, channel }))
  send('pusher:subscribe', { channel: channel_name, ...signed.json.data })
  await told('pusher_internal:subscription_succeeded')
  const before = await state(world)
  const node = { node: fleet.nodes.granted, id: fleet.nodes.granted, name: 'renamed', force: true }
  for (const event of [...changing, 'node.updated', 'project.created']) {
    send(event, node)
    send(event, node, 'private-fleet')
    send(`client-${event}`, node, channel_name)
  }
  socket.send(JSON.stringify({ method: 'DELETE', path: `/api/v1/nodes/${fleet.nodes.granted}`, body: node }))
  // The server takes messages in their order, so once it has answered this one it has taken all others.
  send('pusher:ping', {})
  await told('pusher:pong')
  socket.close()
  assert.deepEqual(await state(world), before)
  const { id } = (await fleet.ask('GET', '/api/v1/projects')).json.data[0]
  await fleet.ask('POST', `/api/v1/nodes/${fleet.nodes.granted}/excluded-projects/${id}`)
  assert.notDeepEqual(await state(world), before, 'a change over HTTP would be seen')
})

interface Frame {
  readonly event: string
  readonly data: string
}

/** Waits for the next event of a name; an event that came before it was asked for counts too. */
function tellerOf(socket: WebSocket): (event: string) => Promise<Frame> {
  const frames: Frame[] = []
  const waiting = new Map<string, (frame: Frame) => void>()
  socket.addEventListener('message', ({ data }) => {
    const frame: Frame = JSON.parse(String(data))
    frames.push(frame)
    waiting.get(frame.event)?.(frame)
  })
  return (event) =>
    new Promise((resolve) => {
      const known = frames.find((frame) => frame.event === event)
      if (known) resolve(known)
      else waiting.set(event, resolve)
    })
}
