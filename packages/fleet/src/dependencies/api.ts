export { type DependenciesDomain, makeDependencies } from '#/dependencies/make.ts'
export type { DependencyParts } from '#/dependencies/parts.ts'
export type { SelectedReleases } from '#/dependencies/ports.ts'
