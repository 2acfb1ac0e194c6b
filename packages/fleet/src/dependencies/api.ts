export { type DependenciesDomain, makeDependencies } from '#/dependencies/make.ts'
export type { DependencyDeps } from '#/dependencies/deps.ts'
export type { SelectedReleases } from '#/dependencies/ports.ts'
