import type { Clock } from '@fleet/kernel'

/** What the work brought and how long it took, in milliseconds. */
export async function timed<T>(
  clock: Clock,
  work: () => Promise<T>,
): Promise<{ readonly value: T; readonly milliseconds: number }> {
  const begun = clock.ticks()
  const value = await work()
  return { value, milliseconds: clock.ticks() - begun }
}
