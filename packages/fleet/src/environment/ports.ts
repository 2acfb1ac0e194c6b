import type { Database } from '@fleet/store'

/** An Instance's own Route, as far as its environment needs it. */
export interface OwnRoute {
  readonly domain: string
  readonly healthy: boolean
  /** True while a domain or placement change of it has not ended: nothing is synchronized then (ENV-024). */
  readonly inTransition: boolean
}

/** The test database of an Instance's own `DB` database. */
export interface TestDatabase {
  readonly name: string
  /** What a test run needs of the keys of `DB`, and which of them the driver does not use. Throws what reading the password throws. */
  keys(): { readonly set: ReadonlyMap<string, string>; readonly removed: readonly string[] }
}

/** What the environment needs from databases, which are above it. */
export interface TestDatabases {
  /** Undefined when the Instance does not own the database attached under `DB`. Reads with the given handle. */
  testDatabase(instanceId: number, db: Database): Promise<TestDatabase | undefined>
}

/** What the environment needs from Routes, which are above it. */
export interface OwnRoutes {
  /** Undefined when the Instance has none. Reads with the given handle, so that it belongs to the caller's snapshot (ENV-039). */
  ownRoute(instanceId: number, db: Database): Promise<OwnRoute | undefined>
}
