import type { Store } from '@fleet/store'
import { selectedRelease } from '#/deployments/queries.ts'

export { type DeploymentsDomain, makeDeployments } from '#/deployments/make.ts'
export type { DeploymentsParts } from '#/deployments/parts.ts'
export type { ProductionPhp } from '#/deployments/ports.ts'

/** The release that a production Instance runs, for the domains below. */
export const makeSelectedReleases = ({ db }: Pick<Store, 'db'>) => ({
  selected: (instanceId: number) => selectedRelease(db, instanceId),
})
