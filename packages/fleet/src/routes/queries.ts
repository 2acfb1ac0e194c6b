import type { Database, NewRow, Row, Store } from '@fleet/store'
import type { RouteRecord, RouteResidue } from '#/routes/record.ts'

type Changes = Partial<Omit<NewRow<'routes'>, 'id' | 'kind' | 'domain' | 'provenance' | 'created_at'>>

/** All SQL about Routes. */
export const routesWhere = async (
  db: Database,
  where: Partial<Pick<Row<'routes'>, 'id' | 'domain' | 'node_id' | 'cluster_id'>> = {},
): Promise<readonly RouteRecord[]> => {
  let query = db.selectFrom('routes').selectAll().orderBy('id')
  if (where.id !== undefined) query = query.where('id', '=', where.id)
  if (where.domain !== undefined) query = query.where('domain', '=', where.domain)
  if (where.node_id !== undefined) query = query.where('node_id', '=', where.node_id)
  if (where.cluster_id !== undefined) query = query.where('cluster_id', '=', where.cluster_id)
  const rows = await query.execute()
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const targets = await db
    .selectFrom('route_targets')
    .selectAll()
    .where('route_id', 'in', ids)
    .orderBy('route_id')
    .orderBy('position')
    .execute()
  const byRoute = Map.groupBy(targets, ({ route_id }) => route_id)
  return rows.map((row) => ({ ...row, targets: byRoute.get(row.id) ?? [] }))
}

export const findRoute = async (db: Database, id: number): Promise<RouteRecord | undefined> =>
  (await routesWhere(db, { id }))[0]

export const findByDomain = async (db: Database, domain: string): Promise<RouteRecord | undefined> =>
  (await routesWhere(db, { domain }))[0]

/** Undefined when the domain is taken: the caller finds out by whom. */
export async function insertRoute(db: Database, row: NewRow<'routes'>): Promise<RouteRecord | undefined> {
  const stored = await db
    .insertInto('routes')
    .values(row)
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .returningAll()
    .executeTakeFirst()
  return stored && { ...stored, targets: [] }
}

export async function updateRoute(db: Database, id: number, values: Changes): Promise<void> {
  await db.updateTable('routes').set(values).where('id', '=', id).execute()
}

/** Deletes the Route and records what it leaves behind, both or neither (RTE-177). */
export const deleteRoute = (
  { transaction }: Pick<Store, 'transaction'>,
  id: number,
  residues: ReadonlyArray<NewRow<'route_residues'>>,
): Promise<void> =>
  transaction(async (tx) => {
    if (residues.length > 0) await tx.insertInto('route_residues').values(residues).execute()
    await tx.deleteFrom('routes').where('id', '=', id).execute()
  })

export const residuesOn = (db: Database, nodeId: number): Promise<readonly RouteResidue[]> =>
  db.selectFrom('route_residues').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

export async function deleteResidue(db: Database, id: number): Promise<void> {
  await db.deleteFrom('route_residues').where('id', '=', id).execute()
}

export async function countAttempt(db: Database, id: number): Promise<void> {
  await db
    .updateTable('route_residues')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

export async function countRoutes(
  db: Database,
  where: Partial<Pick<Row<'routes'>, 'node_id' | 'cluster_id'>>,
): Promise<number> {
  let query = db.selectFrom('routes').select((eb) => eb.fn.countAll<number | string>().as('count'))
  if (where.node_id !== undefined) query = query.where('node_id', '=', where.node_id)
  if (where.cluster_id !== undefined) query = query.where('cluster_id', '=', where.cluster_id)
  return Number((await query.executeTakeFirstOrThrow()).count)
}
