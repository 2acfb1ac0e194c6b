import { PassThrough } from 'node:stream'
import type { CheckoutPlace } from '#/instances/commands/checkout-script.ts'
import { receiveSource, sendSource } from '#/instances/transfer/commands/transfer-source.ts'
import { commandOf, type NodeSession } from '#/nodes/api.ts'

export interface RelayEnd {
  readonly session: NodeSession
  readonly place: CheckoutPlace
}

/** `undefined` when the source could not be read to its end. */
export type Relayed = Awaited<ReturnType<typeof receive>> | undefined

/**
 * The checkout of one Node arrives beside the checkout path of another, through the gateway and at the pace of the slower one.
 * Either end that stops ends the other. Throws what the sessions throw.
 */
export async function relaySource(from: RelayEnd, to: RelayEnd): Promise<Relayed> {
  const between = new PassThrough()
  const broken = new AbortController()
  const breaking = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      between.destroy()
      broken.abort()
      throw error
    })
  const sending = breaking(
    from.session.run(commandOf(sendSource, from.place), {
      stdoutTo: between,
      signal: broken.signal,
      isLong: true,
    }),
  )
  const receiving = breaking(
    receive(to, between, broken.signal).then((answer) => {
      // Nobody takes the rest.
      if (answer.word !== 'digested') broken.abort()
      return answer
    }),
  )
  const [sent, received] = await Promise.allSettled([sending, receiving])
  // An answer of the destination, such as a full disk, is the reason why the source could not go on.
  if (received.status === 'fulfilled' && received.value.word !== 'digested') return received.value
  if (sent.status === 'rejected') throw sent.reason
  if (received.status === 'rejected') throw received.reason
  return sent.value.exitCode === 0 ? received.value : undefined
}

const receive = ({ session, place }: RelayEnd, stdinFrom: PassThrough, signal: AbortSignal) =>
  session.ask(receiveSource, place, { stdinFrom, signal })
