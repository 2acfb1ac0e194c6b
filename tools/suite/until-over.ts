import type { Outcome } from './outcome.ts'

export interface InTime<T> {
  /** What is still to begin, for all workers together. */
  readonly queue: Iterable<T>
  /** What had not begun when the time was over, as skipped; nothing while everything has. */
  outcomes(): readonly Outcome[]
}

export interface Counting {
  /** What is handed out, in the plural. */
  readonly what?: string
  readonly now?: () => number
  /** When the minutes began; now when absent. */
  readonly start?: number
}

/** Hands out files until the minutes are over: a slow machine is no failure, and nobody takes what it ran for a complete run. */
export function untilOver<T extends { readonly name: string }>(
  all: Iterable<T>,
  minutes = Infinity,
  { what = 'files', now = () => performance.now(), start = now() }: Counting = {},
): InTime<T> {
  const late: string[] = []
  const end = start + minutes * 60_000
  function* begin(): Generator<T> {
    for (const one of all) {
      if (now() < end) yield one
      else late.push(one.name)
    }
  }
  return {
    queue: begin(),
    outcomes: () => {
      const reason = `${what} not begun within ${minutes} minutes: ${late.toSorted().join(', ')}`
      return late.length === 0
        ? []
        : [{ passed: 0, failures: [], skipped: new Map([[reason, late.length]]), slow: [] }]
    },
  }
}
