import type { ServerProbe } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import { batchPath } from './signed-path.ts'
import { CURRENT_BOUNDS, type Poster, PostRefused } from './post.ts'

const NO_EVENTS = JSON.stringify({ batch: [] })

/** Sends a signed batch without events, the way the feed's batches go: nobody gets anything, and everything is proven. */
export const makeServerProbe = (poster: Poster, clock: Clock): ServerProbe => ({
  ask: async (server) => {
    try {
      await poster.post(server, batchPath(server, NO_EVENTS, clock), NO_EVENTS, CURRENT_BOUNDS)
      return { isTaken: true }
    } catch (error) {
      return {
        isTaken: false,
        clockAheadSeconds: error instanceof PostRefused ? error.clockAheadSeconds : undefined,
      }
    }
  },
})
