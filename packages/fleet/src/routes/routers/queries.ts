import type { Database, Row } from '@fleet/store'

export type RouterPlacement = Row<'route_routers'>

/** By Route and Router. */
export async function placementsWhere(
  db: Database,
  where: Partial<Pick<RouterPlacement, 'route_id' | 'node_id'>>,
): Promise<readonly RouterPlacement[]> {
  let query = db.selectFrom('route_routers').selectAll().orderBy('route_id').orderBy('node_id')
  if (where.route_id !== undefined) query = query.where('route_id', '=', where.route_id)
  if (where.node_id !== undefined) query = query.where('node_id', '=', where.node_id)
  return query.execute()
}

type NewPlacement = Omit<RouterPlacement, 'id' | 'has_site'>

/** A Router that gets the certificate of a Route: whatever becomes of the Route, it is taken from there again. */
export const expectOn = async (db: Database, placement: NewPlacement): Promise<void> =>
  void (await insertPlacement(db, placement, 0)
    .onConflict((conflict) => conflict.columns(['route_id', 'node_id']).doNothing())
    .execute())

/** False when the Route is gone, or is to have no site any more. */
export async function placeOn(db: Database, placement: NewPlacement): Promise<boolean> {
  const { route_id, node_id, leaf_scope } = placement
  await insertPlacement(db, placement, 1)
    .onConflict((conflict) =>
      conflict.columns(['route_id', 'node_id']).doUpdateSet({ leaf_scope, has_site: 1 }),
    )
    .execute()
  return (await placementsWhere(db, { route_id, node_id })).some(({ has_site }) => has_site === 1)
}

/** The row of a Route that exists, and with a site only of one that is to have a site. */
const insertPlacement = (db: Database, { route_id, node_id, leaf_scope }: NewPlacement, hasSite: 0 | 1) =>
  db
    .insertInto('route_routers')
    .columns(['route_id', 'node_id', 'leaf_scope', 'has_site'])
    .expression((eb) =>
      eb
        .selectFrom('routes')
        .select((row) => [
          'routes.id',
          row.val(node_id).as('node_id'),
          row.val(leaf_scope).as('leaf_scope'),
          row.lit(hasSite).as('has_site'),
        ])
        .where('routes.id', '=', route_id)
        .$if(hasSite === 1, (routes) => routes.where('routes.has_site', '=', 1)),
    )

/** The site goes from the next build on; the placement is remembered until its certificate is gone too. */
export async function clearSites(
  db: Database,
  where: { readonly routeIds: readonly number[]; readonly nodeId?: number },
): Promise<void> {
  if (where.routeIds.length === 0) return
  let query = db
    .updateTable('route_routers')
    .set({ has_site: 0 })
    .where('route_id', 'in', [...where.routeIds])
  if (where.nodeId !== undefined) query = query.where('node_id', '=', where.nodeId)
  await query.execute()
}

export async function deletePlacements(db: Database, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db
    .deleteFrom('route_routers')
    .where('id', 'in', [...ids])
    .execute()
}

/** Members of the Cluster that are its Router or are being made one: what is published now belongs on them too. */
export const routerNodes = async (db: Database, clusterId: number): Promise<readonly number[]> => {
  const rows = await db
    .selectFrom('node_roles')
    .innerJoin('nodes', 'nodes.id', 'node_roles.node_id')
    .select('nodes.id')
    .where('node_roles.role', '=', 'router')
    .where('node_roles.status', 'in', ['active', 'provisioning'])
    .where('nodes.cluster_id', '=', clusterId)
    .orderBy('nodes.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Members of the Cluster that have the site of any Route as a Router, or are to have it. */
export const placedNodes = async (db: Database, clusterId: number): Promise<readonly number[]> => {
  const rows = await db
    .selectFrom('route_routers')
    .innerJoin('nodes', 'nodes.id', 'route_routers.node_id')
    .select('nodes.id')
    .distinct()
    .where('nodes.cluster_id', '=', clusterId)
    .orderBy('nodes.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** On Routers of this Cluster, of Routes whose scope is another one. */
export const stalePlacements = (db: Database, clusterId: number): Promise<readonly RouterPlacement[]> =>
  db
    .selectFrom('route_routers')
    .innerJoin('routes', 'routes.id', 'route_routers.route_id')
    .innerJoin('nodes', 'nodes.id', 'route_routers.node_id')
    .selectAll('route_routers')
    .where('nodes.cluster_id', '=', clusterId)
    .where((row) => row.or([row('routes.cluster_id', 'is', null), row('routes.cluster_id', '!=', clusterId)]))
    .orderBy('route_routers.id')
    .execute()
