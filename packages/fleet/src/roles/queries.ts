import type { Database, Row } from '@fleet/store'

/** An assignment with the Cluster of its Node. */
export interface Assignment extends Omit<Row<'node_roles'>, 'settings' | 'created_at'> {
  readonly cluster_id: number | null
}

/** Every assignment of the fleet, by id. */
export const listAssignments = (db: Database): Promise<Assignment[]> =>
  db
    .selectFrom('node_roles')
    .innerJoin('nodes', 'nodes.id', 'node_roles.node_id')
    .select([
      'node_roles.id',
      'node_roles.node_id',
      'node_roles.role',
      'node_roles.status',
      'node_roles.failed_step',
      'node_roles.error_code',
      'node_roles.claimed_at',
      'nodes.cluster_id',
    ])
    .orderBy('node_roles.id')
    .execute()
