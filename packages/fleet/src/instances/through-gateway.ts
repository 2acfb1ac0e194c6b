import { PassThrough } from 'node:stream'

/** As many bytes as an SSH channel takes without being read. */
const WINDOW = 2 * 1024 * 1024

/** Two commands of two Nodes. */
export interface Carriage<S, R> {
  send(to: PassThrough, signal: AbortSignal): Promise<S>
  receive(from: PassThrough, signal: AbortSignal): Promise<R>
  /** Nobody takes the rest: the sending command is ended. */
  isRefused(answer: R): boolean
}

/**
 * What one command prints is what another one reads, at the pace of the slower one, so the gateway keeps no more than a window.
 * Either end that stops ends the other, and both are rejected with the error of the first.
 */
export async function throughGateway<S, R>({
  send,
  receive,
  isRefused,
}: Carriage<S, R>): Promise<readonly [PromiseSettledResult<S>, PromiseSettledResult<R>]> {
  const between = new PassThrough({ highWaterMark: WINDOW })
  const broken = new AbortController()
  let first: { readonly error: unknown } | undefined
  const breaking = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      first ??= { error }
      between.destroy()
      broken.abort()
      throw first.error
    })
  const received = receive(between, broken.signal).then((answer) => {
    if (isRefused(answer)) broken.abort()
    return answer
  })
  return Promise.allSettled([breaking(send(between, broken.signal)), breaking(received)])
}
