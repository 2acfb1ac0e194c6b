import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attend } from '@fleet/agent/attend'
import { makeGateway } from '@fleet/agent/gateway'
import { type AgentMessage, readAgentMessage } from '@fleet/fleet'
import { type Clock, Secret, systemClock, systemIds } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import { type Connection, openConnection, type PusherMessage } from '@fleet/pusher-client'
import { eventually, FakeClock } from '@fleet/testing'
import { type HttpsGateway, startHttpsGateway } from '@fleet/testing/https-gateway'
import { APP, type PusherWorld, startPusherWorld } from '../pusher/harness.ts'
import { type FakeDocker, startFakeDocker } from './fake-docker.ts'
import { type FakeSystemd, startFakeSystemd } from './fake-systemd.ts'

export const NODE = 7
export const CHANNEL = `presence-node.${NODE}`
export const LOG_CHANNEL = `presence-node-logs.${NODE}`

/** What the agent asks of its gateway, changed by tests. */
export interface Answers {
  workspaces: unknown
  logStreams: unknown
  /** Refuses all questions when false. */
  up: boolean
  /** Accepts the question for the list of streams and never answers it. */
  silent: boolean
}

/** A member of a channel that hears what the agent says. */
export interface Member {
  readonly connection: Connection
  readonly heard: PusherMessage[]
  /** What the agent said, each proven by the schema of its event. Throws for what no view would take. */
  said(): readonly AgentMessage[]
}

/** A WebSocket server, a gateway, a system bus and a Docker, and an agent between them with a clock of its own. */
export interface World extends AsyncDisposable {
  readonly pusher: PusherWorld
  readonly gateway: HttpsGateway
  readonly systemd: FakeSystemd
  readonly docker: FakeDocker
  readonly clock: FakeClock
  readonly answers: Answers
  readonly folder: string
  member(channel: string, id?: string): Promise<Member>
  /** Runs an agent until it is stopped. */
  agent(clock?: Clock): RunningAgent
  /** Lets time pass for the agent, in steps that let it do what is due. */
  pass(milliseconds: number): Promise<void>
  /** Lets time pass until the condition holds. */
  until(holds: () => boolean): Promise<void>
}

export interface RunningAgent {
  readonly lines: readonly string[]
  stop(): Promise<void>
}

export async function startWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'fleet-agent-world-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const pusher = stack.use(await startPusherWorld())
  const systemd = stack.use(await startFakeSystemd(folder))
  const docker = stack.use(await startFakeDocker(folder))
  const answers: Answers = { workspaces: [], logStreams: [], up: true, silent: false }
  const gateway = stack.use(await startGateway(answers, pusher.server.url))
  const stop = new AbortController()
  const clock = new FakeClock()
  const agents: Promise<void>[] = []
  stack.defer(async () => {
    stop.abort()
    await Promise.all(agents)
  })
  const owned = stack.move()
  return {
    pusher,
    gateway,
    systemd,
    docker,
    clock,
    answers,
    folder,
    member: (channel, id = 'gateway.1') => join7(pusher, channel, id, stop.signal),
    agent: (own = clock) => {
      const end = new AbortController()
      const lines: string[] = []
      const deps = depsOf(gateway, { bus: systemd.socket, docker: docker.socket }, own)
      const running = attend(
        { ...deps, say: (line) => lines.push(line) },
        AbortSignal.any([stop.signal, end.signal]),
      )
      agents.push(running)
      return { lines, stop: () => (end.abort(), running) }
    },
    pass: async (milliseconds) => {
      for (let left = milliseconds; left > 0; left -= 250) {
        clock.advance(Math.min(250, left))
        await systemClock.sleep(2)
      }
    },
    until: async (holds) => {
      for (let tries = 0; !holds(); tries += 1) {
        if (tries > 2000) throw new Error('what the test waits for did not happen')
        clock.advance(50)
        await systemClock.sleep(5)
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const depsOf = (
  gateway: HttpsGateway,
  machine: { readonly bus: string; readonly docker: string },
  clock: Clock,
) => {
  const rootCertificate = gateway.root().certificate
  const configuration = {
    gatewayUrl: new URL(gateway.url),
    gatewayAddress: '127.0.0.1',
    rootCertificate,
    secret: new Secret('a'.repeat(64)),
  }
  return { gateway: makeGateway(configuration, clock), rootCertificate, machine, clock, ids: systemIds }
}

const startGateway = (answers: Answers, url: string): Promise<HttpsGateway> =>
  startHttpsGateway(systemClock, ({ url: path, body }) => {
    if (!answers.up) return { status: 503, body: { error: { code: 'gateway.draining' } } }
    if (path.endsWith('/agent/workspaces')) return { body: { data: answers.workspaces } }
    if (path.endsWith('/agent/log-streams') && answers.silent) return new Promise(() => undefined)
    if (path.endsWith('/agent/log-streams')) return { body: { data: answers.logStreams } }
    if (path.endsWith('/agent/broadcasting/auth')) return { body: signed(JSON.parse(body) as Asking) } // The agent's own request.
    const names = { channel: CHANNEL, log_channel: LOG_CHANNEL, member: `agent.${NODE}` }
    return { body: { data: { url, address: '127.0.0.1', key: APP.key, ...names } } }
  })

interface Asking {
  readonly socket_id: string
  readonly channel_name: string
  readonly version: string
}

function signed({ socket_id, channel_name, version }: Asking): { auth: string; channel_data: string } {
  const info = { kind: 'agent', node_id: NODE, version }
  const channel_data = JSON.stringify({ user_id: `agent.${NODE}`, user_info: info })
  return { auth: channelAuth(APP, socket_id, channel_name, channel_data), channel_data }
}

async function join7(pusher: PusherWorld, channel: string, id: string, signal: AbortSignal): Promise<Member> {
  const connection = await openConnection(
    { url: pusher.server.url, key: APP.key },
    { clock: systemClock, signal },
  )
  const heard: PusherMessage[] = []
  connection.onMessage((message) => heard.push(message))
  const channel_data = JSON.stringify({ user_id: id, user_info: { kind: 'gateway' } })
  const auth = channelAuth(APP, connection.socketId, channel, channel_data)
  await connection.subscribe(channel, { auth, channel_data })
  const said = (): readonly AgentMessage[] =>
    heard
      .filter(({ event, userId }) => event.startsWith('client-') && userId === `agent.${NODE}`)
      .map(({ event, data }) => {
        const message = readAgentMessage(event, data)
        if (!message) throw new Error(`no message of an agent: ${event} ${JSON.stringify(data)}`)
        return message
      })
  return { connection, heard, said }
}

type DataOf<E extends AgentMessage['event']> = Extract<AgentMessage, { readonly event: E }>['data']

/** The messages of one event. */
export const only = <E extends AgentMessage['event']>(member: Member, event: E): readonly DataOf<E>[] =>
  member
    .said()
    .filter((message) => message.event === event)
    .map(({ data }) => data as DataOf<E>) // Of that event.

export { eventually }
