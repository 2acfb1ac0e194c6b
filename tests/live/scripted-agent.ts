import { createHash } from 'node:crypto'
import { systemClock } from '@fleet/kernel'
import { type Connection, openConnection, type PusherMessage } from '@fleet/pusher-client'
import { ADDRESS, type TestGateway } from '../api/harness.ts'

const SECRET = 'a'.repeat(64)
const AUTHORIZATION = { authorization: `Bearer ${SECRET}` }

/** An agent of a Node that does what a test says, over the gateway's own endpoints and a real connection. */
export interface ScriptedAgent extends Disposable {
  readonly heard: readonly PusherMessage[]
  readonly channel: string
  readonly logChannel: string
  joinLogs(): Promise<void>
  /** Sends a message of state under its next number. */
  say(event: `client-${string}`, data?: object): void
  beat(): void
  snapshot(units?: readonly object[]): void
  /** Tells lines of a stream, counting from 1. */
  log(stream: string, lines: readonly string[]): void
  endLog(stream: string, reason?: string): void
  /** What the gateway wants to be read. */
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads whatever shape it expects and fails on another.
  list(): Promise<any>
}

/** Starts the agent of the Node `granted` on its channel of states. */
export async function startAgent(
  fleet: TestGateway,
  at: { readonly port: number; readonly key: string },
): Promise<ScriptedAgent> {
  const id = fleet.nodes.granted
  const agent_secret_hash = createHash('sha256').update(SECRET).digest('hex')
  await fleet.store.db.updateTable('nodes').set({ agent_secret_hash }).where('id', '=', id).execute()
  const stop = new AbortController()
  const connection = await openConnection(
    { url: `wss://localhost:${at.port}`, address: ADDRESS.gateway, key: at.key, ca: fleet.ca },
    { clock: systemClock, signal: stop.signal },
  )
  const heard: PusherMessage[] = []
  connection.onMessage((message) => heard.push(message))
  const [channel, logChannel] = [`presence-node.${id}`, `presence-node-logs.${id}`]
  await join(fleet, connection, channel)
  const sequences = new Map<string, number>()
  const next = (of: string): number => {
    const sequence = (sequences.get(of) ?? 0) + 1
    sequences.set(of, sequence)
    return sequence
  }
  const say: ScriptedAgent['say'] = (event, data = {}) =>
    connection.trigger(channel, event, { sequence: next('state'), at: new Date().toISOString(), ...data })
  return {
    heard,
    channel,
    logChannel,
    say,
    joinLogs: () => join(fleet, connection, logChannel),
    beat: () => say('client-heartbeat'),
    snapshot: (units = []) => say('client-snapshot', { docker: 'absent', part: 1, parts: 1, units }),
    log: (stream, lines) => {
      const data = { stream, sequence: next(stream), lines, dropped: 0, skipped: 0 }
      connection.trigger(logChannel, 'client-log', data)
    },
    endLog: (stream, reason = 'source_unavailable') =>
      connection.trigger(logChannel, 'client-log-end', { stream, reason }),
    list: async () => {
      const { json } = await fleet.ask('GET', '/api/v1/agent/log-streams', {
        from: 'granted',
        headers: AUTHORIZATION,
      })
      return json.data
    },
    [Symbol.dispose]: () => stop.abort(),
  }
}

async function join(fleet: TestGateway, connection: Connection, channel_name: string): Promise<void> {
  const body = { socket_id: connection.socketId, channel_name, version: '0.0.1' }
  const options = { from: 'granted', headers: AUTHORIZATION, body } as const
  const { json, status, text } = await fleet.ask('POST', '/api/v1/agent/broadcasting/auth', options)
  if (status !== 200) throw new Error(text)
  await connection.subscribe(channel_name, json)
}
