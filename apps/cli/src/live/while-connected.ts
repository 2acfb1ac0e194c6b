import { type Connection, ConnectionFailure } from '@fleet/pusher-client'

/**
 * Waits for requests that are of no use without the connection; their signal aborts with it. Rejects with ConnectionFailure when the
 * connection ends first, which it notices long before a request of the gateway has used its time.
 */
export function whileConnected<T>(
  { closed }: Pick<Connection, 'closed'>,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const ended = closed.then((): never => {
    ending.abort()
    throw new ConnectionFailure('closed')
  })
  return Promise.race([work(ending.signal), ended])
}
