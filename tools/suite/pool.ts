/** Does the work on all items, at most so many at once, and gives the results in the order of the items. */
export async function inPool<T, R>(
  items: Iterable<T>,
  workers: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>()
  const queue = Iterator.from(items).map((item, index) => [index, item] as const)
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item))
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result)
}
