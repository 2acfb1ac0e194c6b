import { projectUpdateRules, type ProjectUpdateState } from '@fleet/contract'
import type { Database } from '@fleet/store'

/** A Project with its update that has not finished; the state is null where there is none. */
export interface OpenUpdateState {
  readonly id: number
  readonly name: string
  readonly state: ProjectUpdateState | null
  readonly failed_step: string | null
}

/** Projects with a development Instance on the Node, by id. */
export async function openUpdatesOn(db: Database, nodeId: number): Promise<readonly OpenUpdateState[]> {
  const rows = await db
    .selectFrom('projects')
    .leftJoin('project_updates', 'project_updates.project_id', 'projects.id')
    .select(['projects.id', 'projects.name', 'project_updates.state', 'project_updates.failed_step'])
    .where((where) =>
      where.exists(
        where
          .selectFrom('instances')
          .select('instances.id')
          .whereRef('instances.project_id', '=', 'projects.id')
          .where('instances.node_id', '=', nodeId)
          .where('instances.environment', '=', 'development'),
      ),
    )
    .orderBy('projects.id')
    .execute()
  return rows.map((row) => ({
    ...row,
    state: row.state && projectUpdateRules[row.state].isOpen ? row.state : null,
  }))
}

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
