export { type DeploymentsDomain, makeDeployments } from '#/deployments/make.ts'
export type { DeploymentsParts } from '#/deployments/parts.ts'
export type { ProductionPhp } from '#/deployments/ports.ts'
export { makeSelectedReleases } from '#/deployments/selected-releases.ts'
