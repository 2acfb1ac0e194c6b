import { type Clock, guarded, within } from '@fleet/kernel'
import { type RawData, WebSocket } from 'ws'
import type { Closed, Connection, Members, PusherMessage } from '#/connection.ts'
import { ConnectionFailure } from '#/failure.ts'
import { INCOMING_MAX_BYTES, isFields, membersOf, readMessage } from '#/incoming.ts'
import { watchLiveness } from '#/liveness.ts'

/** AGT-034 */
const JOIN_MILLISECONDS = 30_000
/** LIM-012 */
const OUTGOING_MAX_BYTES = 10_000

/** A WebSocket as a connection of the protocol. It is one from its greeting on: until then `greeted` is pending. */
export class PusherConnection implements Connection {
  socketId = ''
  readonly greeted: Promise<void>
  readonly closed: Promise<Closed>
  readonly #ws: WebSocket
  readonly #clock: Clock
  readonly #ended = new AbortController()
  readonly #listeners: ((message: PusherMessage) => void)[] = []
  readonly #joining = new Map<string, PromiseWithResolvers<Members>>()
  #lastHeard: number
  #errorCode: number | undefined

  constructor(ws: WebSocket, clock: Clock) {
    this.#ws = ws
    this.#clock = clock
    this.#lastHeard = clock.ticks()
    const { promise: greeted, resolve: greet } = Promise.withResolvers<void>()
    const { promise: closed, resolve: close } = Promise.withResolvers<Closed>()
    this.greeted = greeted
    this.closed = closed
    const hear = (bytes: RawData, isBinary: boolean): void => this.#hear(bytes, isBinary, greet)
    // What this side cannot handle ends the connection, which its owner opens again.
    ws.on(
      'message',
      guarded(hear, () => this[Symbol.dispose]()),
    )
    for (const event of ['ping', 'pong'] as const) ws.on(event, () => this.#noteLife())
    // Its close follows.
    ws.on('error', () => undefined)
    ws.on('close', (code, reason) => {
      this.#end()
      // 1005 and 1006 are numbers of the library for a close that carried none.
      const reported = code === 1005 || code === 1006 ? this.#errorCode : code
      close({ code: reported, reason: reason.toString('utf8') })
    })
  }

  subscribe(
    channel: string,
    auth: { readonly auth?: string; readonly channel_data?: string | undefined } = {},
  ): Promise<Members> {
    if (this.#ended.signal.aborted) return Promise.reject(new ConnectionFailure('closed'))
    this.#joining.get(channel)?.reject(new ConnectionFailure('closed'))
    const joining = Promise.withResolvers<Members>()
    this.#joining.set(channel, joining)
    this.#send('pusher:subscribe', { ...auth, channel })
    return this.#joined(channel, joining)
  }

  async #joined(channel: string, joining: PromiseWithResolvers<Members>): Promise<Members> {
    try {
      const joined = await within(this.#clock, JOIN_MILLISECONDS, joining.promise)
      if (!joined.inTime) throw new ConnectionFailure('timeout')
      return joined.value
    } finally {
      if (this.#joining.get(channel) === joining) this.#joining.delete(channel)
    }
  }

  unsubscribe(channel: string): void {
    this.#send('pusher:unsubscribe', { channel })
  }

  trigger(channel: string, event: `client-${string}`, data: unknown): void {
    const text = JSON.stringify({ event, channel, data })
    if (Buffer.byteLength(text) > OUTGOING_MAX_BYTES) throw new ConnectionFailure('message_too_large')
    this.#write(text)
  }

  get buffered(): number {
    return this.#ws.bufferedAmount
  }

  onMessage(listener: (message: PusherMessage) => void): void {
    this.#listeners.push(listener)
  }

  [Symbol.dispose](): void {
    this.#end()
    this.#ws.terminate()
  }

  #hear(bytes: RawData, isBinary: boolean, greet: () => void): void {
    if (this.#ended.signal.aborted) return
    this.#noteLife()
    if (isBinary || !Buffer.isBuffer(bytes) || bytes.length > INCOMING_MAX_BYTES) return
    const message = readMessage(bytes.toString('utf8'))
    if (message) this.#take(message, greet)
  }

  #take(message: PusherMessage, greet: () => void): void {
    const { event, channel = '', data } = message
    switch (event) {
      case 'pusher:connection_established':
        return this.#begin(data, greet)
      case 'pusher:ping':
        return this.#send('pusher:pong', {})
      case 'pusher:pong':
        return
      case 'pusher_internal:subscription_succeeded':
        return this.#joining.get(channel)?.resolve(membersOf(data))
      case 'pusher:subscription_error':
        return this.#joining
          .get(channel)
          ?.reject(new ConnectionFailure('refused', { status: statusOf(data) }))
    }
    if (event === 'pusher:error') this.#errorCode = closeCodeOf(data)
    for (const listener of this.#listeners) listener(message)
  }

  #begin(data: unknown, greet: () => void): void {
    const socketId = isFields(data) ? data['socket_id'] : undefined
    if (this.socketId !== '' || typeof socketId !== 'string' || socketId === '') return
    this.socketId = socketId
    greet()
    const watched = {
      lastHeard: () => this.#lastHeard,
      ping: () => this.#send('pusher:ping', {}),
      giveUp: () => this[Symbol.dispose](),
    }
    void watchLiveness(this.#clock, watched, this.#ended.signal)
  }

  #noteLife(): void {
    this.#lastHeard = this.#clock.ticks()
  }

  #send(event: string, data: unknown): void {
    this.#write(JSON.stringify({ event, data }))
  }

  #write(text: string): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(text)
  }

  #end(): void {
    this.#ended.abort()
    for (const joining of this.#joining.values()) joining.reject(new ConnectionFailure('closed'))
  }
}

const numberOf = (data: unknown, name: string): number | undefined => {
  const value = isFields(data) ? data[name] : undefined
  return typeof value === 'number' ? value : undefined
}
const statusOf = (data: unknown): number | undefined => numberOf(data, 'status')

/** Errors from 4300 on are sent on a connection that stays open. */
const closeCodeOf = (data: unknown): number | undefined => {
  const code = numberOf(data, 'code')
  return code !== undefined && code >= 4000 && code < 4300 ? code : undefined
}
