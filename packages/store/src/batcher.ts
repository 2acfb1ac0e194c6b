import { nextTurn } from '@fleet/kernel'

export interface BatcherOptions<T, R> {
  /** Handles the items of one round together and answers one result per item, in their order. */
  readonly flush: (items: readonly T[]) => Promise<readonly R[]>
  /** More items than this go in several rounds, one after the other. */
  readonly maxItems: number
}

/** Joins items that arrive about the same time into one piece of work, such as one insert of many rows. */
export interface Batcher<T, R> {
  /** Resolves with this item's result once its round is done; rejects with the round's error. */
  add(item: T): Promise<R>
  /** Resolves when everything added so far is done, however it ended. */
  drain(): Promise<void>
}

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * A round starts when the event loop has read every socket that was ready, so requests that end together share a commit
 * and a lone one waits for nobody. While a round runs, the next one gathers.
 */
export function makeBatcher<T, R>({ flush, maxItems }: BatcherOptions<T, R>): Batcher<T, R> {
  let waiting: Waiting<T, R>[] = []
  let running: Promise<void> | undefined

  const runAll = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const round = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      await settle(round, flush)
    }
    running = undefined
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        running ??= runAll()
      }),
    drain: async () => running,
  }
}

const settle = async <T, R>(
  round: readonly Waiting<T, R>[],
  flush: BatcherOptions<T, R>['flush'],
): Promise<void> => {
  try {
    const results = await flush(round.map(({ item }) => item))
    if (results.length !== round.length) throw new RangeError('a flush must answer one result per item')
    for (const [index, { resolve }] of round.entries()) resolve(results[index] as R) // as: the lengths were just compared.
  } catch (error) {
    for (const { reject } of round) reject(error)
  }
}
