import type { Store } from '@fleet/store'
import { selectedRelease } from '#/deployments/queries.ts'

/** The release that a production Instance runs, for the domains below. */
export const makeSelectedReleases = ({ db }: Pick<Store, 'db'>) => ({
  selected: (instanceId: number) => selectedRelease(db, instanceId),
})
