import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A cable between gateway and Node that a test can cut. */
export interface Wire extends AsyncDisposable {
  readonly port: number
  /** Ends every connection at once, in both directions. New ones are let through. */
  cut(): void
}

/** Listens on a free port of the address and passes everything on to the given port there. */
export async function layWire(address: string, to: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    return socket
  }
  const server = createServer((near) => {
    const far = keep(connect({ host: address, port: to }))
    keep(near).pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  }).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: typeof bound === 'object' && bound ? bound.port : 0,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
