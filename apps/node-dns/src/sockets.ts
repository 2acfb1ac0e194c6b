import { type BindOptions, createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Endpoint } from './endpoint.ts'

/** Both ways in; they have the same address and port. */
export interface Sockets {
  readonly udp: Socket
  readonly tcp: Server
}

const FIRST_INHERITED = 3
const RECEIVE_BYTES = 1 << 20

/** What systemd holds open: UDP first, as the socket unit lists them. Throws when they are not of these kinds. */
export async function inheritSockets(): Promise<Sockets> {
  const [udp, tcp] = [newUdp(), createServer()]
  await bound(udp, { fd: FIRST_INHERITED })
  tcp.listen({ fd: FIRST_INHERITED + 1 })
  await once(tcp, 'listening')
  return { udp, tcp }
}

/** Opens both on an address; port 0 takes one that is free for both. */
export async function openSockets({ address, port }: Endpoint): Promise<Sockets> {
  for (;;) {
    const tcp = createServer()
    tcp.listen(port, address)
    await once(tcp, 'listening')
    const udp = newUdp()
    try {
      await bound(udp, { port: portOf(tcp), address })
      return { udp, tcp }
    } catch (error) {
      tcp.close()
      udp.close()
      // Somebody has the UDP port of this number; the next one differs.
      if (port !== 0) throw error
    }
  }
}

export function portOf(tcp: Server): number {
  const bound = tcp.address()
  return typeof bound === 'object' && bound ? bound.port : 0
}

async function bound(socket: Socket, options: BindOptions): Promise<void> {
  // Awaited from before: it may have happened when bind returns.
  const listening = once(socket, 'listening')
  socket.bind(options)
  await listening
}

const newUdp = (): Socket =>
  createSocket({
    type: 'udp4',
    recvBufferSize: RECEIVE_BYTES,
    // Replies go to addresses, never to names, so nothing is to be waited for.
    lookup: (address, _options, callback) => callback(null, address, 4),
  })
