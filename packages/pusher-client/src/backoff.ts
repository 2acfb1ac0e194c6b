import type { Ids } from '@fleet/kernel'

const FIRST_MILLISECONDS = 2000
const LAST_MILLISECONDS = 30_000

/**
 * Milliseconds until the next try after this many failures in a row: 2 to 30 s (AGT-035). Half of it is left to chance, so
 * that the agents of a fleet do not all return in the same moment to a gateway that came back.
 */
export function backoff(failures: number, ids: Pick<Ids, 'bytes'>): number {
  const longest = Math.min(LAST_MILLISECONDS, FIRST_MILLISECONDS * 2 ** Math.min(failures, 10))
  const least = Math.max(FIRST_MILLISECONDS, longest / 2)
  return least + (longest - least) * fraction(ids)
}

/** From 0 up to 1. */
const fraction = (ids: Pick<Ids, 'bytes'>): number => {
  const [high = 0, low = 0] = ids.bytes(2)
  return (high * 256 + low) / 65_536
}
