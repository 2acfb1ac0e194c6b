import { posix } from 'node:path'
import type { InstanceRecord } from '#/instances/record.ts'

/** A production Instance with its Unix user and the user's home. */
export interface ProductionInstance extends InstanceRecord {
  readonly production_user: string
  readonly production_home: string
}

export const isProduction = (instance: InstanceRecord): instance is ProductionInstance =>
  instance.environment === 'production' &&
  instance.production_user !== null &&
  instance.production_home !== null

/** Folder of the releases in a production home (DEPL-010). */
export const RELEASES = 'releases'
/** The checkout of a clone, which is never selected: PHP has its directory below it until the first deployment (RTX-129). */
export const INITIAL_RELEASE = 'initial'

/** Where everything of a production Instance is in its home (DEPL-010). */
export const homePaths = (home: string) =>
  ({
    /** The link to the selected release. */
    current: posix.join(home, 'current'),
    releases: posix.join(home, RELEASES),
    release: (name: string): string => posix.join(home, RELEASES, name),
    /** Its stable `.env`. */
    environment: posix.join(home, '.env'),
    /** The database that a clone is seeded with (INS-107). */
    sqlite: posix.join(home, 'database.sqlite'),
  }) as const
