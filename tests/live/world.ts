import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePoster, type Poster } from '@fleet/gateway/feed'
import { systemClock } from '@fleet/kernel'
import {
  answerText,
  addGrant,
  addInstance,
  addProject,
  addRole,
  type ScriptedPool,
  scriptedPool,
} from '@fleet/testing'
import { fleetApp, type RunningWebsocket, startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import { ADDRESS, type From, type Response, startTestGateway, type TestGateway } from '../api/harness.ts'
import { openPlainDoor } from '../feed/plain-door.ts'
import { type LiveClient, startClient } from './client.ts'
import { LeapingClock } from './leaping-clock.ts'
import { type ScriptedAgent, startAgent } from './scripted-agent.ts'

/** Real gateway, WebSocket server over TLS, agents and pusher-js; the gateway's time can leap. */
export interface LiveWorld extends AsyncDisposable {
  readonly fleet: TestGateway
  readonly clock: LeapingClock
  /** Takes back everything that the gateway reports the WebSocket server, as if that were gone, while true. */
  readonly outage: { is: boolean }
  /** Id of an Instance on the Node `granted`. */
  readonly instance: number
  /** What the machines answer from now on when a log is read over SSH. */
  logOverSsh(text: string): void
  server(): RunningWebsocket
  client(from?: From): Promise<LiveClient>
  /** The agent of `granted`, joined to both its channels and seen by the gateway. */
  agent(): Promise<ScriptedAgent>
  /** Starts another server and enters it as the one of the role. */
  move(): Promise<void>
  open(client: LiveClient, body?: object): Promise<Response>
  /** A stream that the client has subscribed to and renewed: its id. */
  follow(client: LiveClient): Promise<string>
  renew(stream: string, from?: From): Promise<Response>
  close(stream: string): Promise<Response>
}

/** Waits for real sockets, with the clock of the gateway running as time does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it has not come to be: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export async function startLiveWorld(): Promise<LiveWorld> {
  const owned = new AsyncDisposableStack()
  try {
    return await assemble(owned)
  } catch (error) {
    await owned.disposeAsync()
    throw error
  }
}

async function assemble(owned: AsyncDisposableStack): Promise<LiveWorld> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-live-'))
  owned.defer(() => rmSync(home, { recursive: true, force: true }))
  const clock = owned.use(new LeapingClock())
  const outage = { is: false }
  const pool = withLog()
  const { fleet, instance } = await startGateway(owned, clock, outage, pool)
  const { gateway, nodes } = fleet
  const place = (port: number) => gateway.placeRealtime(nodes.gateway, { host: 'localhost', port })
  const tls = await gateway.leaf(['localhost'], ['127.0.0.1'], join(home, 'tls'), () => undefined)
  const app = await place(1)
  const serve = async (): Promise<RunningWebsocket> => {
    const server = await startWebsocket({
      address: '127.0.0.1',
      port: 0,
      tls,
      apps: [fleetApp(app)],
      limits: { drainSeconds: 0 },
      clock: systemClock,
      log: pino({ level: 'silent' }),
    })
    owned.defer(() => server.stop())
    await place(server.port)
    return server
  }
  let server = await serve()
  const streams = `/api/v1/instances/${instance}/log-streams`
  const world: LiveWorld = {
    fleet,
    clock,
    outage,
    instance,
    logOverSsh: (text) => pool.reply('read the framework log', answerText({ lines: text })),
    server: () => server,
    client: async (from) => {
      const at = { port: server.port, authority: fleet.ca, from: ADDRESS[from ?? 'gateway'] }
      const door = owned.use(await openPlainDoor(at))
      return owned.use(await startClient(fleet, { port: door.port, key: app.key }, from))
    },
    agent: async () => {
      const agent = owned.use(await startAgent(fleet, { port: server.port, key: app.key }))
      await agent.joinLogs()
      await until('the agent is followed', () => isFollowed(world, agent))
      return agent
    },
    move: async () => void (server = await serve()),
    open: (client, body = {}) =>
      fleet.ask('POST', streams, { body: { socket_id: client.socketId, ...body } }),
    follow: async (client) => {
      const { json, text } = await world.open(client)
      if (!json.data) throw new Error(text)
      await client.join(json.data.channel, json.data.auth)
      await world.renew(json.data.id)
      return json.data.id
    },
    renew: (stream, from = 'gateway') => fleet.ask('PUT', `${streams}/${stream}`, { from }),
    close: (stream) => fleet.ask('DELETE', `${streams}/${stream}`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return world
}

/** Machines on which every log has one line. */
function withLog(): ScriptedPool {
  const pool = scriptedPool()
  pool.reply('read the framework log', answerText({ lines: 'over SSH\n' }))
  return pool
}

/** A live log can be had. */
async function isFollowed({ fleet, instance }: LiveWorld, agent: ScriptedAgent): Promise<boolean> {
  agent.beat()
  const streams = `/api/v1/instances/${instance}/log-streams`
  const { json } = await fleet.ask('POST', streams, { body: { socket_id: '1.1' } })
  if (json.data) await fleet.ask('DELETE', `${streams}/${json.data.id}`)
  return json.data !== undefined
}

async function startGateway(
  owned: AsyncDisposableStack,
  clock: LeapingClock,
  outage: LiveWorld['outage'],
  ssh: ScriptedPool,
): Promise<Pick<LiveWorld, 'fleet' | 'instance'>> {
  const real = Promise.withResolvers<Poster>()
  const poster: Poster = {
    post: async (...given) => {
      if (outage.is) throw new Error('the server is gone')
      return (await real.promise).post(...given)
    },
    [Symbol.dispose]: () => undefined,
  }
  const fleet = owned.use(await startTestGateway({ clock, poster, ssh }))
  real.resolve(owned.use(makePoster(fleet.ca, clock)))
  const { store, nodes } = fleet
  await addRole(store, { node_id: nodes.gateway, role: 'websocket' })
  await addGrant(store, { id: nodes.gateway }, { id: nodes.granted })
  const project = await addProject(store)
  const profile = { application_directory: '', framework: 'laravel', php: true } as const
  const { id } = await addInstance(store, { project_id: project.id, node_id: nodes.granted, profile })
  return { fleet, instance: id }
}
