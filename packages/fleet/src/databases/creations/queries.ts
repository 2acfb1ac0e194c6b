import type { Database, Row } from '@fleet/store'
import { DEFAULT_NAME } from '#/instances/api.ts'

export interface DefaultInstance extends Pick<Row<'instances'>, 'id' | 'name' | 'node_id' | 'checkout_path'> {
  readonly node_status: Row<'nodes'>['status']
}

/** The default development Instance of a Project, while it is one. */
export const defaultInstance = (db: Database, projectId: number): Promise<DefaultInstance | undefined> =>
  db
    .selectFrom('instances')
    .innerJoin('nodes', 'nodes.id', 'instances.node_id')
    .select([
      'instances.id',
      'instances.name',
      'instances.node_id',
      'instances.checkout_path',
      'nodes.status as node_status',
    ])
    .where('instances.project_id', '=', projectId)
    .where('instances.name', '=', DEFAULT_NAME)
    .where('instances.environment', '=', 'development')
    .where('instances.status', '=', 'active')
    .executeTakeFirst()
