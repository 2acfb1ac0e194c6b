import type { Database } from '@fleet/store'

/** Production Instances of a Node, by id. */
export const productionRows = (db: Database, nodeId: number) =>
  db
    .selectFrom('instances')
    .select(['id', 'name', 'profile', 'production_user', 'production_home', 'selected_release'])
    .where('node_id', '=', nodeId)
    .where('environment', '=', 'production')
    .orderBy('id')
    .execute()
