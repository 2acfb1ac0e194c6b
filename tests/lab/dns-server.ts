import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import packet from 'dns-packet'

/** What the server outside answers for every name. */
export const OUTSIDE = '203.0.113.7'

/** A DNS server on an address of this machine, as a provider has one: it answers every question. */
export async function startDnsServer(address: string): Promise<AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.on('message', (message: Buffer, { address: to, port }) => {
    const { id = 0, questions = [] } = packet.decode(message)
    const [question] = questions
    if (!question) return
    const answers =
      question.type === 'A' ? [{ type: 'A' as const, name: question.name, ttl: 60, data: OUTSIDE }] : []
    const flags = packet.RECURSION_AVAILABLE | packet.RECURSION_DESIRED
    socket.send(packet.encode({ id, type: 'response', flags, questions, answers }), port, to)
  })
  socket.bind(53, address)
  await once(socket, 'listening')
  return { [Symbol.asyncDispose]: async () => void socket.close() }
}
