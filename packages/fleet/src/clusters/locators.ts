import type { Store } from '@fleet/store'
import { findCluster } from '#/clusters/queries.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import type { LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{cluster}': ClusterRecord
  }
}

export type ClusterLocators = LocatorsOf<'{cluster}'>

export const makeClusterLocators = ({ db }: Store): ClusterLocators => ({
  '{cluster}': byPathId((id) => findCluster(db, id)),
})
