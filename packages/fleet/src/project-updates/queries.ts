import type { Database } from '@fleet/store'

/** Nodes with a Process or a Schedule of a development Instance of the Project. */
export async function nodesWithRuntime(db: Database, projectId: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('instances')
    .select('node_id')
    .distinct()
    .where('project_id', '=', projectId)
    .where('environment', '=', 'development')
    .where((where) =>
      where.or([
        where.exists(
          where.selectFrom('processes').select('processes.id').whereRef('instance_id', '=', 'instances.id'),
        ),
        where.exists(
          where.selectFrom('schedules').select('schedules.id').whereRef('instance_id', '=', 'instances.id'),
        ),
      ]),
    )
    .execute()
  return new Set(rows.map(({ node_id }) => node_id))
}
