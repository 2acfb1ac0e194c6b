// What anybody writes first with ws: every message of a publisher is sent to each subscriber. `feed-naive.ts plain|tls HOME`.
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import '../websocket/collect.ts'
import { identityOf } from '../websocket/identity.ts'

const [mode, home = ''] = process.argv.slice(2)
const server = mode === 'tls' ? createTlsServer(tlsOf(home)) : createServer()
const sockets = new WebSocketServer({ server })
const subscribers = new Set<WebSocket>()
sockets.on('connection', (socket, request) => {
  if (request.url === '/publish')
    socket.on('message', (data) => {
      const text = Buffer.isBuffer(data) ? data.toString('utf8') : ''
      for (const subscriber of subscribers) subscriber.send(text)
    })
  else subscribers.add(socket)
  socket.on('error', () => undefined)
  socket.on('close', () => subscribers.delete(socket))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  console.log(JSON.stringify({ port, pid: process.pid }))
})

function tlsOf(folder: string) {
  const { certificate: cert, key } = identityOf(folder)
  return { cert, key }
}
