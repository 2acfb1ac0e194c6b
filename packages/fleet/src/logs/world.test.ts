import assert from 'node:assert/strict'
import type { LogUnavailableReason } from '@fleet/contract'
import { type Clock, Secret } from '@fleet/kernel'
import { countingIds, fakeCall, FakeClock, nodeRecord } from '@fleet/testing'
import { type AgentSight, type NodeChannel, readAgentMessage, type SubscriberHealth } from '#/agents/api.ts'
import type { InstanceRecord } from '#/instances/api.ts'
import type { LogStreamMessage } from '#/logs/api.ts'
import { type LogsDomain, makeLogs } from '#/logs/make.ts'
import type { LoggedProcess } from '#/logs/ports.ts'
import type { RealtimeServers } from '#/realtime/api.ts'

export const NODE = 7
/** Nodes of callers: one with a grant, and another one with a grant. */
export const OPENER = 1
export const OTHER = 2
const SOCKET = '12.34'

const SERVER = {
  nodeId: 3,
  nodeName: 'realtime',
  address: '10.44.0.3',
  port: 8790,
  host: 'reverb.fleet',
  url: 'wss://reverb.fleet:8790',
  app: { id: 'fleet', key: 'app-key', secret: new Secret('app-secret') },
}

/** What the world is like; tests change it. */
interface Circumstances {
  servers: RealtimeServers
  subscriber: SubscriberHealth
  presence: AgentSight['presence']
  stored: Map<string, string>
  /** `consumer serving` */
  readonly grants: Set<string>
  readonly instances: Map<number, InstanceRecord>
  readonly processes: Map<number, LoggedProcess>
  readonly inactive: Set<number>
  /** What the server does with events; undefined takes them. */
  refusing: (() => Promise<void>) | undefined
}

export interface LogsWorld {
  readonly clock: FakeClock
  readonly at: Circumstances
  readonly logs: LogsDomain
  /** What clients received, in order. */
  readonly reported: LogStreamMessage[]
  /** How many requests it took. */
  requests(): number
  /** Nodes whose agents were asked to read their list. */
  readonly notified: number[]
  readonly warnings: string[]
  /** The log channel of the Node. */
  readonly channel: NodeChannel
  open(lines?: number): Promise<string>
  renew(id: string): Promise<unknown>
  close(id: string): Promise<unknown>
  /** Opens and starts a stream of another Instance. */
  startOther(instance: number): Promise<string>
  /** As the agent of the Node; `sequence` counts up from 1 for each stream where none is given. */
  report(
    id: string,
    lines: readonly string[],
    given?: { sequence?: number; dropped?: number; skipped?: number },
  ): void
  /** Lets everything happen that is due by now. */
  settle(): Promise<void>
  /** Moves time in small steps, as it passes. */
  pass(seconds: number): Promise<void>
  /** Lines that the client of a stream got, over all its events. */
  linesOf(id: string): readonly string[]
  endOf(id: string): string | undefined
}

/**
 * The domain of logs among fakes, with its relay running until the test ends. It has no store and is not made by `testDomains`: what
 * it reads changes between two moments of the clock, and `access/statements-world.test.ts` opens its streams over records.
 */
export function logsWorld(context: { after(work: () => void): void }): LogsWorld {
  const clock = new FakeClock()
  const at = circumstances()
  const heard: Heard = { reported: [], notified: [], warnings: [], requests: 0 }
  const stop = new AbortController()
  context.after(() => stop.abort())
  const logs = domainAmong(clock, at, heard)
  void logs.relay(stop.signal)
  const channel = logs.channel(NODE)
  channel.joined(new Map([[`agent.${NODE}`, {}]]))
  const { reported } = heard
  const { handlers } = logs
  const own = callOf(OPENER)
  const open = async (instance: number, lines: number): Promise<string> => {
    const input = { instance, socket_id: SOCKET, lines }
    return (await handlers['instance:log-stream:open']({ call: own, input })).data.id
  }
  const renew = (instance: number, stream: string): Promise<unknown> =>
    handlers['instance:log-stream:renew']({ call: own, input: { instance, stream } })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return {
    clock,
    at,
    logs,
    reported,
    notified: heard.notified,
    warnings: heard.warnings,
    channel,
    requests: () => heard.requests,
    open: (lines = 100) => open(5, lines),
    renew: (id) => renew(5, id),
    close: (id) => handlers['instance:log-stream:close']({ call: own, input: { instance: 5, stream: id } }),
    startOther: async (instance) => {
      const id = await open(instance, 1)
      await renew(instance, id)
      return id
    },
    report: reporterOf(channel),
    settle,
    pass: async (seconds) => {
      await settle()
      for (let left = seconds * 1000; left > 0; left -= 250) {
        clock.advance(Math.min(left, 250))
        await settle()
      }
    },
    linesOf: (id) =>
      reported.flatMap((event) =>
        event.stream === id && event.type === 'log.lines' ? event.data.lines : [],
      ),
    endOf: (id) =>
      reported.flatMap((event) =>
        event.stream === id && event.type === 'log.ended' ? [event.data.reason] : [],
      )[0],
  }
}

interface Heard {
  readonly reported: LogStreamMessage[]
  readonly notified: number[]
  readonly warnings: string[]
  requests: number
}

const domainAmong = (clock: FakeClock, at: Circumstances, heard: Heard): LogsDomain =>
  makeLogs({
    clock: clock satisfies Clock,
    ids: countingIds(),
    nodes: {
      find: async (id) => nodeRecord({ id, status: at.inactive.has(id) ? 'failed' : 'active' }),
      sessions: {
        overTunnel: () => assert.fail('live logs run no command'),
        overPublicSsh: () => assert.fail('live logs run no command'),
      },
      mayActOn: async (consumer, serving) => at.grants.has(`${consumer} ${serving}`),
    },
    instances: { find: async (id) => at.instances.get(id) },
    processes: {
      find: async (id) => at.processes.get(id),
      secretsOf: async () => [],
      dashboardOf: async () => undefined,
    },
    domainOf: async () => undefined,
    environment: { stored: async () => at.stored },
    realtime: { servers: async () => at.servers },
    views: {
      subscriber: () => at.subscriber,
      of: () => ({ presence: at.presence }) as AgentSight, // The rest of a view is nothing to logs.
    },
    publisher: {
      report: async (events) => {
        heard.requests += 1
        await at.refusing?.()
        heard.reported.push(...events)
      },
      changed: async (nodeIds) => {
        await at.refusing?.()
        heard.notified.push(...nodeIds)
      },
    },
    warn: (message) => void heard.warnings.push(message),
  })

/** Counts from 1 for each stream where no number is given. */
function reporterOf(channel: NodeChannel): LogsWorld['report'] {
  const sequences = new Map<string, number>()
  return (id, lines, { sequence, dropped = 0, skipped = 0 } = {}) => {
    const next = sequence ?? (sequences.get(id) ?? 0) + 1
    sequences.set(id, next)
    const message = readAgentMessage('client-log', { stream: id, sequence: next, lines, dropped, skipped })
    if (!message) throw new Error('no message of an agent')
    channel.reported(`agent.${NODE}`, message)
  }
}

export const callOf = (callerId: number) =>
  fakeCall({
    caller: { id: callerId, name: `node-${callerId}`, address: `10.44.0.${callerId}`, isGateway: false },
  })

export const withoutServer = (world: LogsWorld): void =>
  void (world.at.servers = { current: undefined, leaving: [] })

/** What stands in the way of a live log, by the reason that is reported. */
export const obstacles: Readonly<Record<LogUnavailableReason, (world: LogsWorld) => void>> = {
  ssh_only: ({ at }) => void at.instances.set(5, instanceOf({ environment: 'production' })),
  realtime_not_configured: withoutServer,
  subscriber_down: ({ at }) => void (at.subscriber = 'disconnected'),
  agent_unavailable: ({ at }) => void (at.presence = 'lost'),
  agent_not_joined: ({ channel }) => channel.memberRemoved(`agent.${NODE}`),
}

function circumstances(): Circumstances {
  return {
    servers: { current: SERVER, leaving: [] },
    subscriber: 'up',
    presence: 'online',
    stored: new Map(),
    grants: new Set([`${OPENER} ${NODE}`, `${OTHER} ${NODE}`]),
    instances: new Map([[5, instanceOf({})]]),
    processes: new Map(),
    inactive: new Set(),
    refusing: undefined,
  }
}

export const instanceOf = (given: Partial<InstanceRecord>): InstanceRecord => {
  const record = {
    id: 5,
    node_id: NODE,
    node: nodeRecord({ id: NODE, status: 'active' }),
    environment: 'development',
    checkout_path: '/srv/apps/shop/default',
    profile: { applicationDirectory: 'api', framework: 'laravel', php: true },
    ...given,
  }
  return record as InstanceRecord // Logs read nothing else of an Instance.
}
