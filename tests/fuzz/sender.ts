import { createSocket } from 'node:dgram'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Destination {
  readonly port: number
  /** Address of the sender; 127.0.0.1 when absent. */
  readonly from?: string
  /** Speaks TLS with this protocol of ALPN. */
  readonly tls?: 'http/1.1' | 'h2'
}

/** A server may keep a connection that it has answered; nobody waits longer for its end. */
const PATIENCE_MILLISECONDS = { plain: 60, tls: 300 } as const

/** Sends the bytes over a connection of their own, ends it, and waits for the other side to end it too. */
export function sendOver(destination: Destination, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectionTo(destination)
    socket.setTimeout(PATIENCE_MILLISECONDS[destination.tls ? 'tls' : 'plain'], () => socket.destroy())
    // A server that resets what it cannot read does right.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve())
    socket.resume().end(bytes)
  })
}

function connectionTo({ port, from = '127.0.0.1', tls }: Destination): Socket {
  const where = { host: '127.0.0.1', port, localAddress: from }
  return tls === undefined
    ? connectTcp(where)
    : connectTls({ ...where, ALPNProtocols: [tls], rejectUnauthorized: false })
}

/** Sends datagrams and waits until the last of them has left. */
export async function sendDatagrams(port: number, datagrams: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4')
  await Promise.all(
    datagrams.map(
      (bytes) => new Promise<void>((resolve) => socket.send(bytes, port, '127.0.0.1', () => resolve())),
    ),
  )
  socket.close()
}

/** Runs the work for each number below `count`, so many at once. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: width }, worker))
}
