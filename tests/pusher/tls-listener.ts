import { once } from 'node:events'
import { channelAuth } from '@fleet/pusher'
import { type ClientOptions, WebSocket } from 'ws'
import { APP } from './harness.ts'

/** Listens to a private channel over TLS, trusting one authority and one name, and keeps the events in order. */
export interface TlsListener extends AsyncDisposable {
  readonly events: readonly unknown[]
  /** Resolves once so many have arrived. */
  until(count: number): Promise<void>
}

interface Message {
  readonly event: string
  readonly data: string
}

export async function listenOverTls(
  port: number,
  trust: { readonly authority: string; readonly name: string },
  channel = 'private-fleet',
): Promise<TlsListener> {
  const events: unknown[] = []
  const options: ClientOptions & { readonly servername: string } = {
    ca: trust.authority,
    servername: trust.name,
  }
  const ws = new WebSocket(`wss://127.0.0.1:${port}/app/${APP.key}?protocol=7`, options)
  const subscribed = Promise.withResolvers<void>()
  ws.on('message', (text: Buffer) => {
    const { event, data } = JSON.parse(text.toString()) as Message // The server writes objects of this form.
    if (event === 'pusher:connection_established') subscribe(ws, data, channel)
    else if (event === 'pusher_internal:subscription_succeeded') subscribed.resolve()
    else events.push(JSON.parse(data))
  })
  await subscribed.promise
  return {
    events,
    until: async (count) => {
      while (events.length < count) await once(ws, 'message')
    },
    [Symbol.asyncDispose]: async () => ws.terminate(),
  }
}

function subscribe(ws: WebSocket, greeting: string, channel: string): void {
  const { socket_id: socketId } = JSON.parse(greeting) as { socket_id: string } // The greeting of the protocol.
  const auth = channelAuth(APP, socketId, channel)
  ws.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }))
}
