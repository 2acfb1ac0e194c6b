import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { connect } from 'node:tls'

/** A door to a TLS server for clients that cannot choose which authority to trust: pusher-js on Node is one. */
export interface PlainDoor extends AsyncDisposable {
  readonly port: number
}

/** Listens without TLS on loopback; every connection continues over TLS, with the given authority as the only trust. */
export async function openPlainDoor(to: {
  readonly port: number
  readonly authority: string
  /** Name that the server's certificate must have. */
  readonly name?: string
  /** Address of this machine from which the server is reached. */
  readonly from?: string
}): Promise<PlainDoor> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({
      host: '127.0.0.1',
      port: to.port,
      ca: to.authority,
      servername: to.name ?? 'localhost',
      ...(to.from === undefined ? {} : { localAddress: to.from }),
    })
    for (const socket of [near, far]) {
      sockets.add(socket)
      // As the server's own sockets are: small frames do not wait for the answer to earlier ones.
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
