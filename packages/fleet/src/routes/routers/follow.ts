import type { Database } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { buildWhereAnswered, routesThrough } from '#/routes/routers/behind.ts'
import { placedNodes, placementsWhere } from '#/routes/routers/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

type Deps = Pick<RoutesDeps, 'store' | 'clock' | 'nodes' | 'webServer'>

const FOLLOW = 'route:follow-ingress'
const payload = z.strictObject({ cluster_id: z.int() })

/** The Routers of a Cluster believe what its ingress says of clients, or no longer do (RTX-056). May be repeated. */
export const followIngress = async (deps: Deps, call: Call, clusterId: number): Promise<void> =>
  buildWhereAnswered(deps, call, await placedNodes(deps.store.db, clusterId))

/** Stored with the removal of a Node that may have been the ingress: its address may become that of another one. */
export async function followRemoval(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  db: Database,
  { id, cluster_id }: Pick<NodeRecord, 'id' | 'cluster_id'>,
): Promise<void> {
  if ((await edgeOf(db, cluster_id))?.ingress?.nodeId !== id) return
  await store.work.add(
    { kind: FOLLOW, key: String(cluster_id), payload: { cluster_id }, dueAt: clock.now() },
    db,
  )
}

export const makeIngressKind = (deps: Deps): WorkKind =>
  workKind({
    name: FOLLOW,
    payload,
    run: (call, { cluster_id }) => followIngress(deps, call, cluster_id),
  })

/**
 * A Node with another LAN address is reached there, and sends from there: by those that lead to it and to those that it leads to
 * (RTX-046, RTX-056). May be repeated.
 */
export async function followLan(deps: Deps, call: Call, { id }: Pick<NodeRecord, 'id'>): Promise<void> {
  const { db } = deps.store
  const node = await deps.nodes.find(id)
  if (!node) return
  const own = (await servedRows(db, { nodeId: id, isMoving: true })).map(({ route }) => route.id)
  const routeIds = [...new Set([...own, ...(await routesThrough(db, node))])]
  const behind = routeIds.length === 0 ? [] : await servedRows(db, { routeIds, isMoving: true })
  const routers = []
  for (const route_id of routeIds) routers.push(...(await placementsWhere(db, { route_id })))
  const edge = await edgeOf(db, node.cluster_id)
  await buildWhereAnswered(deps, call, [
    id,
    ...behind.map(({ instance }) => instance.node_id),
    ...routers.map(({ node_id }) => node_id),
    ...(edge?.ingress ? [edge.ingress.nodeId] : []),
    ...(edge?.ingress?.nodeId === id ? await placedNodes(db, edge.clusterId) : []),
  ])
}
