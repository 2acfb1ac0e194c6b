import type { RetainedRouteData } from '@fleet/contract'
import type { Database, NewRow, Row, Store } from '@fleet/store'
import type { RouteRecord, RouteResidue, RouteRow } from '#/routes/record.ts'

export type RouteChanges = Partial<
  Omit<NewRow<'routes'>, 'id' | 'kind' | 'domain' | 'provenance' | 'created_at'>
>

/** All SQL about Routes. */
export const routesWhere = async (
  db: Database,
  where: Partial<Pick<Row<'routes'>, 'id' | 'domain' | 'node_id' | 'cluster_id' | 'process_id'>> = {},
): Promise<readonly RouteRecord[]> => {
  let query = db.selectFrom('routes').selectAll().orderBy('id')
  if (where.id !== undefined) query = query.where('id', '=', where.id)
  if (where.domain !== undefined) query = query.where('domain', '=', where.domain)
  if (where.node_id !== undefined) query = query.where('node_id', '=', where.node_id)
  if (where.cluster_id !== undefined) query = query.where('cluster_id', '=', where.cluster_id)
  if (where.process_id !== undefined) query = query.where('process_id', '=', where.process_id)
  return withTargets(db, await query.execute())
}

async function withTargets(db: Database, rows: readonly RouteRow[]): Promise<readonly RouteRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const targets = await db
    .selectFrom('route_targets')
    .selectAll()
    .where('route_id', 'in', ids)
    // Not those on their way into the pool, nor those that left it.
    .where((eb) => eb.or([eb('phase', 'is', null), eb('phase', '=', 'joined')]))
    .orderBy('route_id')
    .orderBy('position')
    .execute()
  const byRoute = Map.groupBy(targets, ({ route_id }) => route_id)
  return rows.map((row) => ({ ...row, targets: byRoute.get(row.id) ?? [] }))
}

/** Routes to Instances with their targets; of these Instances, or of all. */
export async function appRoutes(
  db: Database,
  instanceIds?: readonly number[],
): Promise<readonly RouteRecord[]> {
  let query = db.selectFrom('routes').selectAll().where('kind', '=', 'app').orderBy('id')
  if (instanceIds)
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('route_targets')
        .select('route_id')
        .where('instance_id', 'in', [...instanceIds]),
    )
  return withTargets(db, await query.execute())
}

/** Throws nothing for a Route that leads there already. */
export async function addTarget(db: Database, routeId: number, instanceId: number): Promise<void> {
  await db
    .insertInto('route_targets')
    .values({ route_id: routeId, instance_id: instanceId, position: 1 })
    .onConflict((conflict) => conflict.columns(['route_id', 'instance_id']).doNothing())
    .execute()
}

export async function deleteTargets(db: Database, routeId: number): Promise<void> {
  await db.deleteFrom('route_targets').where('route_id', '=', routeId).execute()
}

export async function deleteRoutes(db: Database, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await db
      .deleteFrom('routes')
      .where('id', 'in', [...ids])
      .execute()
}

export async function addResidues(
  db: Database,
  residues: ReadonlyArray<NewRow<'route_residues'>>,
): Promise<void> {
  if (residues.length > 0) await db.insertInto('route_residues').values(residues).execute()
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

export async function updateRoute(db: Database, id: number, values: RouteChanges): Promise<void> {
  await db.updateTable('routes').set(values).where('id', '=', id).execute()
}

/** Deletes the Route and records what it leaves behind, both or neither (RTE-177). */
export const deleteRoute = (
  { transaction }: Pick<Store, 'transaction'>,
  id: number,
  residues: ReadonlyArray<NewRow<'route_residues'>>,
): Promise<void> =>
  transaction(async (tx) => {
    await addResidues(tx, residues)
    await tx.deleteFrom('routes').where('id', '=', id).execute()
  })

export const residuesOn = (db: Database, nodeId: number): Promise<readonly RouteResidue[]> =>
  db.selectFrom('route_residues').selectAll().where('node_id', '=', nodeId).orderBy('id').execute()

/** What skipped Nodes keep of a Route, one entry for each Node (RTE-070, RTE-177). */
export async function retainedOf(db: Database, routeId: number): Promise<readonly RetainedRouteData[]> {
  const rows = await db
    .selectFrom('route_residues')
    .innerJoin('nodes', 'nodes.id', 'route_residues.node_id')
    .select(['node_id', 'name', 'retained_steps'])
    .where('route_id', '=', routeId)
    .orderBy('route_residues.id')
    .execute()
  return [...Map.groupBy(rows, ({ node_id }) => node_id).values()].flatMap(([first, ...more]) => {
    if (!first) return []
    const { node_id, name: node, retained_steps: kept } = first
    const steps = [...new Set([kept, ...more.map(({ retained_steps }) => retained_steps)].flat())]
    return { node_id, node, steps }
  })
}

/** The Instance of a production home. */
export const productionAt = (
  db: Database,
  { node_id, home }: { readonly node_id: number; readonly home: string },
): Promise<Pick<Row<'instances'>, 'id' | 'selected_release'> | undefined> =>
  db
    .selectFrom('instances')
    .select(['id', 'selected_release'])
    .where('node_id', '=', node_id)
    .where('production_home', '=', home)
    .executeTakeFirst()

export async function deleteResidue(db: Database, id: number): Promise<void> {
  await db.deleteFrom('route_residues').where('id', '=', id).execute()
}

/** The rest of it is gone. */
export async function keepOfResidue(db: Database, id: number, steps: readonly string[]): Promise<void> {
  await db.updateTable('route_residues').set({ retained_steps: steps }).where('id', '=', id).execute()
}

/** Of all that the Node still has (RTE-181). */
export async function countAttempts(db: Database, nodeId: number): Promise<void> {
  await db
    .updateTable('route_residues')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('node_id', '=', nodeId)
    .execute()
}

/** Routes on a Node, and those whose generated domain is made with its top-level domain (NODE-090). */
export async function countRoutesOn(db: Database, nodeId: number): Promise<number> {
  const { count } = await db
    .selectFrom('routes')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where((eb) => eb.or([eb('node_id', '=', nodeId), eb('generation_basis_node_id', '=', nodeId)]))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function countRoutesIn(db: Database, clusterId: number): Promise<number> {
  const { count } = await db
    .selectFrom('routes')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('cluster_id', '=', clusterId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const routesByIds = async (db: Database, ids: readonly number[]): Promise<readonly RouteRow[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('routes')
        .selectAll()
        .where('id', 'in', [...ids])
        .orderBy('id')
        .execute()

export interface Retargeted extends Pick<
  RouteRow,
  'domain' | 'node_id' | 'cluster_id' | 'generation_basis_node_id' | 'created_at'
> {
  readonly instanceId: number
}

/**
 * Leads the Route to another Instance; answers its id, or undefined where another Route took the new domain in the meantime. With another domain a new Route takes its place at once: the earlier one
 * serves nothing by then (RTE-103).
 */
export async function retarget(
  tx: Database,
  { id, targets: _targets, ...kept }: RouteRecord,
  { instanceId, created_at, ...planned }: Retargeted,
): Promise<number | undefined> {
  const values = {
    ...planned,
    status: 'activating',
    failed_step: null,
    error_code: null,
    php_version: null,
    web_root_change: null,
  } as const
  if (planned.domain === kept.domain) {
    await tx.updateTable('routes').set(values).where('id', '=', id).execute()
    await deleteTargets(tx, id)
    await addTarget(tx, id, instanceId)
    return id
  }
  await deleteRoutes(tx, [id])
  const next = await insertRoute(tx, { ...kept, ...values, created_at })
  if (!next) return undefined
  await addTarget(tx, next.id, instanceId)
  return next.id
}

/** Another Route in the place of one that serves nothing; undefined where its domain is taken. */
export async function takePlaceOf(
  tx: Database,
  { id, targets: _targets, ...kept }: RouteRecord,
  values: Pick<RouteRow, 'domain' | 'publication' | 'created_at'>,
): Promise<RouteRecord | undefined> {
  await deleteRoutes(tx, [id])
  return insertRoute(tx, { ...kept, ...values })
}

/** Routes with one of these domains, by domain. */
export async function routesWithDomains(
  db: Database,
  domains: readonly string[],
): Promise<ReadonlyMap<string, RouteRow>> {
  const rows = await db
    .selectFrom('routes')
    .selectAll()
    .where('domain', 'in', [...domains])
    .execute()
  return new Map(rows.map((row) => [row.domain, row]))
}
