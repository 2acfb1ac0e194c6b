import type { Database } from '@fleet/store'

/** An Instance's own Route, as far as its environment needs it. */
export interface OwnRoute {
  readonly domain: string
  readonly healthy: boolean
  /** True while a domain or placement change of it has not ended: nothing is synchronized then (ENV-024). */
  readonly inTransition: boolean
}

/** What the environment needs from Routes, which are above it. */
export interface OwnRoutes {
  /** Undefined when the Instance has none. Reads with the given handle, so that it belongs to the caller's snapshot (ENV-039). */
  ownRoute(instanceId: number, db: Database): Promise<OwnRoute | undefined>
}
