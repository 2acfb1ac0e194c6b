// Bun's own publish: `bun feed-bun.mjs plain|tls HOME`. Plain JavaScript: this checkout's types are those of Node.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [mode, home = ''] = process.argv.slice(2)
const read = (name) => readFileSync(join(home, name), 'utf8')
const server = globalThis.Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  ...(mode === 'tls' ? { tls: { cert: read('leaf.crt'), key: read('leaf.key') } } : {}),
  fetch(request, self) {
    const isPublisher = new URL(request.url).pathname === '/publish'
    return self.upgrade(request, { data: { isPublisher } }) ? undefined : new Response('', { status: 400 })
  },
  websocket: {
    perMessageDeflate: false,
    idleTimeout: 0,
    sendPings: false,
    backpressureLimit: 256 * 1024 * 1024,
    open(socket) {
      if (!socket.data.isPublisher) socket.subscribe('bench')
    },
    message(socket, message) {
      server.publish('bench', message)
    },
  },
})
process.stdin.on('end', () => process.exit())
process.stdin.resume()
process.on('SIGUSR2', () => {
  globalThis.Bun.gc(true)
  console.log(0)
})
console.log(JSON.stringify({ port: server.port, pid: process.pid }))
