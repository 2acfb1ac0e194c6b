import type { Readable } from 'node:stream'
import { throughGateway } from '#/instances/through-gateway.ts'
import {
  type ContentPlace,
  receiveSource,
  sendSource,
} from '#/instances/transfer/commands/transfer-source.ts'
import { commandOf, type NodeSession } from '#/nodes/api.ts'

export interface RelayEnd {
  readonly session: NodeSession
  readonly place: ContentPlace
}

/** `undefined` when the source could not be read to its end. */
export type Relayed = Awaited<ReturnType<typeof receive>> | undefined

/**
 * The checkout of one Node arrives beside the checkout path of another, through the gateway and at the pace of the slower one.
 * Throws what the sessions throw.
 */
export async function relaySource(from: RelayEnd, to: RelayEnd): Promise<Relayed> {
  const [sent, received] = await throughGateway({
    send: (stdoutTo, signal) =>
      from.session.run(commandOf(sendSource, from.place), { stdoutTo, signal, isLong: true }),
    receive: (stdinFrom, signal) => receive(to, stdinFrom, signal),
    isRefused: ({ word }) => word !== 'digested',
  })
  // An answer of the destination, such as a full disk, is the reason why the source could not go on.
  if (received.status === 'fulfilled' && received.value.word !== 'digested') return received.value
  if (sent.status === 'rejected') throw sent.reason
  if (received.status === 'rejected') throw received.reason
  return sent.value.exitCode === 0 ? received.value : undefined
}

const receive = ({ session, place }: RelayEnd, stdinFrom: Readable, signal: AbortSignal) =>
  session.ask(receiveSource, place, { stdinFrom, signal })
