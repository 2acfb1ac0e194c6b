import type { Database, Row } from '@fleet/store'

/** An Instance whose Routes are judged, and what kind of Project it belongs to. */
export interface CheckedInstance extends Pick<Row<'instances'>, 'id' | 'name' | 'environment'> {
  readonly project_type: Row<'projects'>['type']
}

/** Active ones of the Node that nobody removes, by id (DOC-025). */
export const checkedInstances = (db: Database, nodeId: number): Promise<readonly CheckedInstance[]> =>
  db
    .selectFrom('instances')
    .innerJoin('projects', 'projects.id', 'instances.project_id')
    .select(['instances.id', 'instances.name', 'instances.environment', 'projects.type as project_type'])
    .where('instances.node_id', '=', nodeId)
    .where('instances.status', '=', 'active')
    .where('instances.removal_status', 'is', null)
    .orderBy('instances.id')
    .execute()

/** Checkouts of Instances that stay, whatever of them is served: a Route that is gone may have opened any of them. */
export async function checkoutPathsOn(db: Database, nodeId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('checkout_path')
    .where('node_id', '=', nodeId)
    .where('environment', '=', 'development')
    .where('status', '=', 'active')
    .orderBy('id')
    .execute()
  return rows.map(({ checkout_path }) => checkout_path)
}

export async function projectSlugs(db: Database): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom('projects').select(['id', 'slug']).execute()
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}
