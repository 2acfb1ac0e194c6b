import type { Clock } from '@fleet/kernel'

const QUIET_MILLISECONDS = 15_000
const ANSWER_MILLISECONDS = 10_000

export interface Watched {
  /** Ticks of the last message. */
  readonly lastHeard: () => number
  readonly ping: () => void
  readonly giveUp: () => void
}

/**
 * Asks after 15 s of quiet and gives up 10 s later without an answer (AGT-035), until the signal aborts. After a time
 * in which this process itself was suspended it asks first, so resuming costs no connection.
 */
export async function watchLiveness(clock: Clock, watched: Watched, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const quiet = clock.ticks() - watched.lastHeard()
    if (quiet < QUIET_MILLISECONDS) {
      await clock.sleep(QUIET_MILLISECONDS - quiet, signal)
      continue
    }
    const asked = watched.lastHeard()
    watched.ping()
    await clock.sleep(ANSWER_MILLISECONDS, signal)
    if (!signal.aborted && watched.lastHeard() === asked) return watched.giveUp()
  }
}
