import type { Readable } from 'node:stream'
import { stepFailed } from '#/instances/steps/directory-problem.ts'
import { throughGateway } from '#/instances/through-gateway.ts'
import {
  type ContentPlace,
  digestSource,
  receiveSource,
  sendSource,
} from '#/instances/transfer/commands/transfer-source.ts'
import { commandOf, type NodeSession, noteExit } from '#/nodes/api.ts'

export interface RelayEnd {
  readonly session: NodeSession
  readonly place: ContentPlace
}

/** What arrived, and what the source had once it was sent; that only where everything was. */
export interface Relayed {
  readonly received: Awaited<ReturnType<typeof receive>>
  readonly now: Awaited<ReturnType<typeof digest>> | undefined
}

/**
 * The checkout of one Node arrives beside the checkout path of another, through the gateway and at the pace of the slower one. Both
 * ends read their content at the same time. Answers `undefined` when the source could not be read to its end; throws what the
 * sessions throw.
 */
export async function relaySource(from: RelayEnd, to: RelayEnd): Promise<Relayed | undefined> {
  const [sent, received] = await throughGateway({
    send: async (stdoutTo, signal) => {
      const options = { stdoutTo, signal, isLong: true }
      const { exitCode } = await from.session.run(commandOf(sendSource, from.place), options)
      noteExit(from.session, { exitCode })
      return exitCode === 0 ? digest(from, signal) : undefined
    },
    receive: (stdinFrom, signal) => receive(to, stdinFrom, signal),
    isRefused: ({ word }) => word !== 'digested',
  })
  // An answer of the destination, such as a full disk, is the reason why the source could not go on.
  if (received.status === 'fulfilled' && received.value.word !== 'digested')
    return { received: received.value, now: undefined }
  if (sent.status === 'rejected') throw sent.reason
  if (received.status === 'rejected') throw received.reason
  return sent.value && { received: received.value, now: sent.value }
}

const digest = ({ session, place }: RelayEnd, signal: AbortSignal) =>
  session.ask(digestSource, place, { broken: stepFailed('compare'), signal })

const receive = ({ session, place }: RelayEnd, stdinFrom: Readable, signal: AbortSignal) =>
  session.ask(receiveSource, place, { stdinFrom, signal })
