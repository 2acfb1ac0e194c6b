export { type DeploymentsDomain, makeDeployments } from '#/deployments/make.ts'
export type { DeploymentsDeps } from '#/deployments/deps.ts'
export type { ProductionPhp } from '#/deployments/ports.ts'
export { makeSelectedReleases } from '#/deployments/selected-releases.ts'
