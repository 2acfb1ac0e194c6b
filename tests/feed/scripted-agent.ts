import { createHash, randomBytes } from 'node:crypto'
import { systemClock } from '@fleet/kernel'
import { type Connection, openConnection } from '@fleet/pusher-client'
import type { FeedWorld } from './world.ts'

/** The agent of a Node, which says what a test wants. */
export interface ScriptedAgent extends Disposable {
  readonly connection: Connection
  /** Sends a client event on the Node's channel with the next number. */
  send(event: `client-${string}`, data: Readonly<Record<string, unknown>>): void
}

/** Joins the channel of the Node as its agent, signed for by the gateway. */
export async function startAgent(
  { fleet }: FeedWorld,
  name: 'granted' | 'ungranted',
): Promise<ScriptedAgent> {
  const id = fleet.nodes[name]
  const secret = randomBytes(32).toString('hex')
  await fleet.store.db
    .updateTable('nodes')
    .set({ agent_secret_hash: createHash('sha256').update(secret).digest('hex') })
    .where('id', '=', id)
    .execute()
  const headers = { authorization: `Bearer ${secret}` }
  const { json: realtime } = await fleet.ask('GET', '/api/v1/agent/realtime', { from: name, headers })
  const { url, key, channel } = realtime.data
  const connection = await openConnection(
    { url, key, ca: fleet.ca },
    { clock: systemClock, signal: new AbortController().signal },
  )
  const body = { socket_id: connection.socketId, channel_name: channel, version: '1.2.3' }
  const { json } = await fleet.ask('POST', '/api/v1/agent/broadcasting/auth', { from: name, headers, body })
  await connection.subscribe(channel, json)
  let sequence = 0
  return {
    connection,
    send: (event, data) => {
      sequence += 1
      connection.trigger(channel, event, { sequence, at: new Date().toISOString(), ...data })
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}
