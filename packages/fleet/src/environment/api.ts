import { makeImport } from '#/environment/import.ts'
import type { EnvironmentParts } from '#/environment/parts.ts'
import { makeSync } from '#/environment/sync.ts'
import { makeUpdate } from '#/environment/update.ts'
import type { HandlersOf } from '#/handler.ts'

export type { EnvironmentParts } from '#/environment/parts.ts'
export type { OwnRoute, OwnRoutes } from '#/environment/ports.ts'

export interface Environment {
  readonly handlers: HandlersOf<'env:import' | 'env:update' | 'env:sync'>
}

/** The stored environment configuration of Instances. */
export const makeEnvironment = (parts: EnvironmentParts): Environment => ({
  handlers: {
    'env:import': makeImport(parts),
    'env:update': makeUpdate(parts),
    'env:sync': makeSync(parts),
  },
})
