import type { Reply, Texts } from './server.ts'

/** Aborts when the connection closes before the answer has gone out. */
export function goneOf({ raw }: Reply<Texts>): AbortSignal {
  const ending = new AbortController()
  raw.once('close', () => {
    // Node sets `writableFinished` on every closed response of HTTP/2, also when its client has gone.
    if (!raw.writableEnded) ending.abort()
  })
  return ending.signal
}

/** Resolves once the answer has left, or its client. */
export const leftOf = ({ raw }: Reply<Texts>): Promise<void> =>
  new Promise((resolve) => void raw.once('close', () => resolve()))
