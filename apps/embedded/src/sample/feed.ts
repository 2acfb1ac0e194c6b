import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import type { Stage } from './stage.ts'

const CHANNEL = 'private-fleet'

/** Listens to the feed as any client would, from before the first change. */
export interface FeedListener extends AsyncDisposable {
  /** Names of the events that have arrived, oldest first. */
  readonly events: readonly string[]
}

/** Connects to the WebSocket server, has the gateway sign the subscription, and keeps what arrives. */
export async function listenToFeed({ client, fleet, stopping }: Stage): Promise<FeedListener> {
  const events: string[] = []
  const { url, key } = fleet.websocket
  const ws = new WebSocket(`${url}/app/${key}?protocol=7`, { ca: readFileSync(fleet.caFile) })
  const subscribed = Promise.withResolvers<void>()
  ws.on('error', (error) => subscribed.reject(error))
  ws.on('message', (bytes: Buffer) => {
    const message = readMessage(bytes)
    if (message.event === 'pusher:connection_established') subscribe(message.data).catch(subscribed.reject)
    else if (message.event === 'pusher_internal:subscription_succeeded') subscribed.resolve()
    else events.push(message.event)
  })
  const subscribe = async (greeting: string): Promise<void> => {
    const { socket_id } = JSON.parse(greeting) as { readonly socket_id: string } // The greeting of the protocol.
    const input = { socket_id, channel_name: CHANNEL }
    const { data } = await client.call('broadcasting:authorize', input, { signal: stopping })
    ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: CHANNEL, auth: data.auth } }))
  }
  await subscribed.promise
  return { events, [Symbol.asyncDispose]: async () => ws.terminate() }
}

/** How often each event arrived, in the order of the first. */
export function showEvents({ screen }: Stage, { events }: FeedListener): void {
  const counts = [...Map.groupBy(events, (name) => name)].map(([name, all]) => `${all.length} × ${name}`)
  screen.done('Feed', `${events.length} events arrived while this ran`, undefined, [counts.join('  ')])
}

interface Message {
  readonly event: string
  readonly data: string
}

const readMessage = (bytes: Buffer): Message => JSON.parse(bytes.toString('utf8')) as Message // The server writes objects of this form.
