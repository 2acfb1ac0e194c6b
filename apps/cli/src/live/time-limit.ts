import type { Context, Invocation } from '#/context.ts'

/** Ends with the command, and with `--timeout`: for a live view that time is how long it is watched, not how long one answer may take. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal
}

export function timeLimit(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  { globals }: Invocation,
): TimeLimit {
  const reached = new AbortController()
  const { timeoutSeconds } = globals
  const timer = timeoutSeconds === undefined ? undefined : clock.timer(timeoutSeconds * 1000)
  void timer?.over.then(() => reached.abort())
  return {
    signal: AbortSignal.any([signal, reached.signal]),
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  }
}
