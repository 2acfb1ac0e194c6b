import type { Database, Row } from '@fleet/store'
import { DEFAULT_NAME } from '#/instances/api.ts'

/** The default development Instance of a Project, while it is one. */
export const defaultInstance = (
  db: Database,
  projectId: number,
): Promise<Pick<Row<'instances'>, 'id' | 'name' | 'node_id' | 'checkout_path'> | undefined> =>
  db
    .selectFrom('instances')
    .select(['id', 'name', 'node_id', 'checkout_path'])
    .where('project_id', '=', projectId)
    .where('name', '=', DEFAULT_NAME)
    .where('environment', '=', 'development')
    .where('status', '=', 'active')
    .executeTakeFirst()
