export { type Environment, makeEnvironment } from '#/environment/make.ts'
export type { EnvironmentParts } from '#/environment/parts.ts'
export type { OwnRoute, OwnRoutes, TestDatabase, TestDatabases } from '#/environment/ports.ts'
export type { Replacement } from '#/environment/replace.ts'
