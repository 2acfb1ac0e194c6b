import type { Store } from '@fleet/store'
import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{route}': RouteRecord
  }
}

export type RouteLocators = LocatorsOf<'{route}'>

export const makeRouteLocators = ({ db }: Pick<Store, 'db'>): RouteLocators => ({
  '{route}': byPathId((id) => findRoute(db, id)),
})
