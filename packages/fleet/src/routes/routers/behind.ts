import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { routesWhere } from '#/routes/queries.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'

type Deps = Pick<RoutesDeps, 'store' | 'nodes' | 'webServer'>

/** The Routes that a Router of a Cluster leads to, or still has. */
export async function routesThrough(
  db: Database,
  { id, cluster_id }: Pick<NodeRecord, 'id' | 'cluster_id'>,
): Promise<readonly number[]> {
  const placed = (await placementsWhere(db, { node_id: id })).map(({ route_id }) => route_id)
  const own = cluster_id === null ? [] : await routesWhere(db, { cluster_id })
  return [...new Set([...placed, ...own.map((route) => route.id)])]
}

/** The Nodes of the Instances of these Routes trust the Routers that the records name (RTX-056). */
export async function buildBehind(deps: Deps, call: Call, routeIds: readonly number[]): Promise<void> {
  if (routeIds.length === 0) return
  const served = await servedRows(deps.store.db, { routeIds, isMoving: true })
  await buildWhereAnswered(
    deps,
    call,
    served.map(({ instance }) => instance.node_id),
  )
}

/**
 * Once for each Node; the same bytes load nothing. A change of a Router waits for no Node behind it: one that does not answer is built
 * when it converges, and so is one whose web server does not take its file, which serves the earlier one and which Doctor names.
 */
export async function buildWhereAnswered(
  { nodes, webServer }: Deps,
  call: Call,
  nodeIds: readonly number[],
): Promise<void> {
  for (const id of new Set(nodeIds)) {
    const node = await nodes.find(id)
    if (node?.status !== 'active' || !(await nodes.answers(call, node))) continue
    try {
      await webServer.build(nodes.sessions.overTunnel(call, node), 'app-dev')
    } catch (error) {
      if (!keepsEarlier(error)) throw error
      call.log('a Node does not trust the Routers of its Routes', { node: id, code: error.code })
    }
  }
}

/** Stages at which the Node was reached and its lock held. */
const keepsEarlier = (error: unknown): error is CodedError =>
  error instanceof CodedError &&
  error.code === 'app-dev.caddy_config_failed' &&
  !['connect', 'lock', 'render'].includes(String(error.details?.['stage']))
