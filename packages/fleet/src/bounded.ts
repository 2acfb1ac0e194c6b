/** Does the work for every item, so many at once, and keeps their order. The first failure is thrown when all begun work has ended. */
export async function bounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const rest = items.entries()
  const worker = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await work(item)
  }
  const settled = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, worker))
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return results
}
