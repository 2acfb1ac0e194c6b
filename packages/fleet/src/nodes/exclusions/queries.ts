import { type Database, fixedQuery, type NewRow } from '@fleet/store'

export interface ExclusionRow {
  readonly project_id: number
  readonly project_slug: string
  readonly node_id: number
  readonly node_name: string
}

const exclusions = (db: Database) =>
  db
    .selectFrom('node_exclusions')
    .innerJoin('projects', 'projects.id', 'node_exclusions.project_id')
    .innerJoin('nodes', 'nodes.id', 'node_exclusions.node_id')
    .select([
      'node_exclusions.project_id',
      'projects.slug as project_slug',
      'node_exclusions.node_id',
      'nodes.name as node_name',
    ])

export const exclusionsOfNode: (db: Database, nodeId: number) => Promise<ExclusionRow[]> = fixedQuery(
  (db: Database, nodeId: number) =>
    exclusions(db).where('node_exclusions.node_id', '=', nodeId).orderBy('projects.slug'),
)

export const exclusionsOfProject = (db: Database, projectId: number): Promise<ExclusionRow[]> =>
  exclusions(db).where('node_exclusions.project_id', '=', projectId).orderBy('nodes.name').execute()

export const findExclusion = (
  db: Database,
  projectId: number,
  nodeId: number,
): Promise<ExclusionRow | undefined> =>
  exclusions(db)
    .where('node_exclusions.project_id', '=', projectId)
    .where('node_exclusions.node_id', '=', nodeId)
    .executeTakeFirst()

export async function isExcluded(db: Database, projectId: number, nodeId: number): Promise<boolean> {
  const row = await db
    .selectFrom('node_exclusions')
    .select('node_id')
    .where('project_id', '=', projectId)
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return row !== undefined
}

/** False when the pair was stored already. */
export async function insertExclusion(db: Database, row: NewRow<'node_exclusions'>): Promise<boolean> {
  const added = await db
    .insertInto('node_exclusions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'node_id']).doNothing())
    .executeTakeFirst()
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function deleteExclusion(db: Database, projectId: number, nodeId: number): Promise<boolean> {
  const removed = await db
    .deleteFrom('node_exclusions')
    .where('project_id', '=', projectId)
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}
