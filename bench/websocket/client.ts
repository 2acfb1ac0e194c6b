import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { channelAuth } from '@fleet/pusher'
import { BENCH_APP, BENCH_CHANNEL } from './app.ts'
import type { Server } from './server.ts'

/** A masked text frame of a client; with a mask of zeros its payload stands there as it is. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

/** Bytes of a frame of a server with a text of this length. */
export const serverFrameBytes = (length: number): number => length + (length < 126 ? 2 : 4)

/** A raw connection: what arrives is counted and not looked at, so that the load costs as little as it can. */
export interface Client {
  readonly socket: Socket
  /** Told of the number of bytes that arrived. */
  onBytes: (count: number) => void
}

export interface Joining {
  readonly publishes?: boolean
  /** Channel and member instead of the private one. */
  readonly member?: { readonly channel: string; readonly user: string }
}

/** Connects, and subscribes where the server speaks the protocol. */
export async function join(server: Server, { publishes = false, member }: Joining = {}): Promise<Client> {
  const options = { host: '127.0.0.1', port: server.port }
  const socket =
    server.mode === 'tls' ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
  socket.setNoDelay(true)
  const client: Client = { socket, onBytes: () => undefined }
  const path =
    server.kind === 'fleet' ? `/app/${BENCH_APP.key}?protocol=7` : publishes ? '/publish' : '/subscribe'
  await once(socket, server.mode === 'tls' ? 'secureConnect' : 'connect')
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  if (server.kind === 'fleet') await subscribe(socket, member)
  else await heard(socket, '\r\n\r\n')
  socket.on('data', (chunk: Buffer) => client.onBytes(chunk.length))
  socket.on('error', () => undefined)
  return client
}

async function subscribe(socket: Socket, member: Joining['member']): Promise<void> {
  const greeting = await heard(socket, 'activity_timeout')
  const [, id = ''] = /socket_id\\":\\"([\d.]+)/.exec(greeting) ?? []
  const channel = member?.channel ?? BENCH_CHANNEL
  const channel_data = member && JSON.stringify({ user_id: member.user })
  const auth = channelAuth(BENCH_APP, id, channel, channel_data)
  const data = { channel, auth, ...(channel_data === undefined ? {} : { channel_data }) }
  socket.write(clientFrame(JSON.stringify({ event: 'pusher:subscribe', data })))
  await heard(socket, 'subscription_succeeded')
}

function heard(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = ''
    const onData = (chunk: Buffer): void => {
      all += chunk.toString('latin1')
      if (!all.includes(text)) return
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve(all)
    }
    const onClose = (): void => reject(new Error(`the server ended a connection that waited for ${text}`))
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.once('error', reject)
  })
}

/** Connects many, some at a time. */
export async function joinMany(
  count: number,
  make: (index: number) => Promise<Client>,
  atOnce = 50,
): Promise<readonly Client[]> {
  const clients: Client[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) clients.push(await make(index))
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return clients
}

export function leave(clients: readonly Client[]): void {
  for (const { socket } of clients) socket.destroy()
}
