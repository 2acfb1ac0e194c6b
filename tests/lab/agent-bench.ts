import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AgentEvent,
  type AgentMessageData,
  type AgentTarget,
  makeSession,
  readAgentMessage,
  type RealtimeServer,
} from '@fleet/fleet'
import { makePoster } from '@fleet/gateway/feed'
import { Secret, systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { channelAuth, signRequest } from '@fleet/pusher'
import { openConnection, type PusherMessage } from '@fleet/pusher-client'
import { addNode, fakeCall, nodeRecord, openTestStore } from '@fleet/testing'
import { startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import type { Host, Lab } from '../../lab/index.ts'
import { nodeAgent } from './node-agent.ts'
import { poolOf, targetOf } from './site.ts'

const APP = { id: 'fleet', key: 'app-key', secret: new Secret('app-secret') }
const NAMES = { gateway: 'gateway.fleet', realtime: 'realtime.fleet' }

/** A message of the agent with the time at which it came, in ticks of this process. */
export type Heard = PusherMessage & { readonly ticks: number }

/** An agent on a host, set up as every other, and a gateway and WebSocket server on this machine that it takes for its own. */
export interface AgentBench extends AsyncDisposable {
  readonly host: Host
  readonly server: RealtimeServer
  /** PEM of the authority that the server proves its name by. */
  readonly rootCertificate: string
  readonly heard: readonly Heard[]
  /** What the agent said under this name, by the schema of its event. */
  said<E extends AgentEvent>(event: E): readonly AgentMessageData<E>[]
  /** Opens these streams, and notifies the agent that its list is another. */
  stream(streams: readonly unknown[]): Promise<void>
}

export async function startAgentBench(
  lab: Lab,
  host: Host,
  user: { name: string; home: string },
): Promise<AgentBench> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'fleet-agent-live-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Fleet root' })
  const leafOf = async (name: string) => {
    const { certificate, key } = await issueLeaf(root, { clock: systemClock, names: [name], addresses: [] })
    return { certificate, key: key.reveal() }
  }
  const address = lab.addresses.machine
  const server = await startWebsocket({
    address,
    port: 0,
    tls: await leafOf(NAMES.realtime),
    apps: [APP],
    clock: systemClock,
    log: pino({ level: 'silent' }),
    limits: { drainSeconds: 0 },
  })
  stack.defer(() => server.stop())
  const lists = { 'log-streams': [] as readonly unknown[], workspaces: [] as readonly unknown[] } // Filled by the tests.
  const url = `wss://${NAMES.realtime}:${server.port}`
  const gateway = await startGateway(await leafOf(NAMES.gateway), address, (path, body) => {
    if (path.endsWith('/broadcasting/auth')) return signed(JSON.parse(body) as Asking) // The agent's own request.
    const list = path.split('/').at(-1) ?? ''
    if (list === 'log-streams' || list === 'workspaces') return { data: lists[list] }
    const names = { channel: 'presence-node.1', log_channel: 'presence-node-logs.1', member: 'agent.1' }
    return { data: { url, address, key: APP.key, ...names } }
  })
  stack.defer(() => gateway.stop())

  const poster = stack.use(makePoster(root.certificate, systemClock))
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const heard: Heard[] = []
  const relay = await openConnection(
    { url, key: APP.key, address, ca: root.certificate },
    { clock: systemClock, signal: stop.signal },
  )
  relay.onMessage((message) => heard.push({ ...message, ticks: performance.now() }))
  for (const channel of ['presence-node.1', 'presence-node-logs.1']) {
    const channel_data = JSON.stringify({ user_id: 'gateway.1', user_info: { kind: 'gateway' } })
    await relay.subscribe(channel, {
      auth: channelAuth(APP, relay.socketId, channel, channel_data),
      channel_data,
    })
  }

  const target = {
    url: `https://${NAMES.gateway}:${gateway.port}`,
    address,
    rootCertificate: root.certificate,
  }
  await converge(stack, { lab, host, user, target })
  const owned = stack.move()
  return {
    host,
    server: {
      nodeId: 0,
      nodeName: 'gateway',
      address,
      port: server.port,
      host: NAMES.realtime,
      url,
      app: APP,
    },
    rootCertificate: root.certificate,
    heard,
    said: (event) => dataOf(heard, event),
    stream: async (streams) => {
      lists['log-streams'] = streams
      await notify(poster, { address, port: server.port, host: NAMES.realtime })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Asking {
  readonly socket_id: string
  readonly channel_name: string
  readonly version: string
}

function signed({ socket_id, channel_name, version }: Asking): { auth: string; channel_data: string } {
  const info = { kind: 'agent', node_id: 1, version }
  const channel_data = JSON.stringify({ user_id: 'agent.1', user_info: info })
  return { auth: channelAuth(APP, socket_id, channel_name, channel_data), channel_data }
}

function dataOf<E extends AgentEvent>(heard: readonly Heard[], event: E): readonly AgentMessageData<E>[] {
  return heard
    .filter((message) => message.event === event && message.userId === 'agent.1')
    .map(({ data }) => {
      const message = readAgentMessage(event, data)
      if (!message) throw new Error(`no message of an agent: ${JSON.stringify(data)}`)
      return message.data as AgentMessageData<E> // Of that event.
    })
}

type Poster = ReturnType<typeof makePoster>

async function notify(poster: Poster, target: Parameters<Poster['post']>[0]): Promise<void> {
  const body = JSON.stringify({ name: 'log-streams.changed', data: '{}', channels: ['presence-node-logs.1'] })
  const request = { method: 'POST', path: `/apps/${APP.id}/events`, query: {} }
  const query = signRequest(APP, request, body, Math.floor(Date.now() / 1000))
  const path = `${request.path}?${new URLSearchParams(query).toString()}`
  await poster.post(target, path, body, { connectMilliseconds: 5000, totalMilliseconds: 10_000 })
}

type Reply = (path: string, body: string) => unknown

async function startGateway(
  { certificate, key }: { readonly certificate: string; readonly key: string },
  address: string,
  reply: Reply,
): Promise<{ readonly port: number; stop(): void }> {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(reply(request.url ?? '', body)))
    })
  })
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  return {
    port,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Setup {
  readonly lab: Lab
  readonly host: Host
  readonly user: { readonly name: string; readonly home: string }
  readonly target: AgentTarget
}

/** As every Node gets its agent. */
async function converge(stack: AsyncDisposableStack, { lab, host, user, target }: Setup): Promise<void> {
  const store = stack.use(await openTestStore())
  const pool = stack.use(poolOf(lab))
  const row = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  const node = nodeRecord({ ...row, user: user.name, user_home: user.home })
  const agent = await nodeAgent(store, target)
  const place = await targetOf(host)
  const session = makeSession({
    call: fakeCall(),
    node,
    login: 'root',
    send: (_call, command) => pool.run(place, command, { timeoutMilliseconds: 120_000 }),
  })
  await agent.converge(session, { force: false })
}
