import type { Clock } from './clock.ts'

export type InTime<T> = { readonly inTime: true; readonly value: T } | { readonly inTime: false }

/**
 * Waits for work at most this long. Late work continues; its outcome is then discarded. Rejects when the work does in
 * time.
 */
export async function within<T>(clock: Clock, milliseconds: number, work: Promise<T>): Promise<InTime<T>> {
  using timer = clock.timer(milliseconds)
  const late = timer.over.then((): InTime<T> => ({ inTime: false }))
  return await Promise.race([work.then((value): InTime<T> => ({ inTime: true, value })), late])
}
