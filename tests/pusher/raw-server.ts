import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

/** A server that answers as a test says, on loopback. */
export interface RawServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

/** Hands every TCP connection to the test. */
export async function startTcp(serve: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Hands every WebSocket to the test; the greeting is the test's own. */
export async function startRaw(serve: (ws: WebSocket) => void): Promise<RawServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  server.on('connection', (ws) => {
    ws.on('error', () => undefined)
    serve(ws)
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  return {
    url: `ws://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      for (const ws of server.clients) ws.terminate()
      server.close()
    },
  }
}

export const GREETING = JSON.stringify({
  event: 'pusher:connection_established',
  data: JSON.stringify({ socket_id: '1.2', activity_timeout: 120 }),
})

/** The answer to a WebSocket upgrade (RFC 6455, 4.2.2). */
export const handshake = (key: string): string =>
  [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')}`,
    '\r\n',
  ].join('\r\n')
