import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'

/** A server that answers the question for TLS, speaks it, and passes what is inside to the socket of a PostgreSQL. */
export interface TlsFront extends AsyncDisposable {
  readonly open: () => Promise<Duplex>
  /** What came without TLS. */
  plain(): Buffer
}

export async function tlsFront(inner: string, context: SecureContext, answer: string): Promise<TlsFront> {
  const plain: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      plain.push(Buffer.from(bytes))
      const secure = new TLSSocket(socket, { isServer: true, secureContext: context })
      const database = connect(inner)
      sockets.add(database)
      for (const end of [secure, database]) end.on('error', () => socket.destroy())
      secure.pipe(database).pipe(secure)
      socket.write(answer)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // as: a TCP server has a port.
  return {
    open: async () => connect(port, '127.0.0.1'),
    plain: () => Buffer.concat(plain),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
