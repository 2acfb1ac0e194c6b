// The least that node:net can hold: it answers the upgrade and keeps the socket. `feed-bare.ts plain|tls HOME`.
import { createHash } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import '../websocket/collect.ts'
import { identityOf } from '../websocket/identity.ts'

const [mode, home = ''] = process.argv.slice(2)
const sockets = new Set<Socket>()
const server = mode === 'tls' ? createTlsServer(tlsOf(home), take) : createServer(take)
server.listen(0, '127.0.0.1', 4096, () => {
  const { port } = server.address() as AddressInfo // It listens on an address and a port.
  console.log(JSON.stringify({ port, pid: process.pid }))
})

function take(socket: Socket): void {
  sockets.add(socket)
  socket.on('error', drop)
  socket.on('close', drop)
  socket.once('data', greet)
}
function drop(this: Socket): void {
  sockets.delete(this)
}
function greet(this: Socket, head: Buffer): void {
  const [, key = ''] = /sec-websocket-key: (\S+)/i.exec(head.toString('latin1')) ?? []
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  this.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  this.on('data', ignore)
}
function ignore(): void {
  // What a client sends is read and forgotten.
}
function tlsOf(folder: string) {
  const { certificate: cert, key } = identityOf(folder)
  return { cert, key }
}
