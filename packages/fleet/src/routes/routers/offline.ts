import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { silentCode } from '#/nodes/api.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import type { RouteRow } from '#/routes/record.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import type { ServedRoute } from '#/routes/served.ts'

type Parts = Pick<RoutesParts, 'store' | 'nodes' | 'certificates' | 'webServer'>

/** What Routers that answer have of a Route; those that do not keep it, and their placements say so. */
export async function withdrawFromAnswering(
  parts: Parts,
  call: Call,
  route: Pick<RouteRow, 'id' | 'domain' | 'cluster_id'>,
): Promise<void> {
  try {
    await withdrawRouterSites(parts, call, route)
    await withdrawRouterLeaves(parts, call, route)
  } catch (error) {
    if (silentCode(error) === undefined) throw error
  }
}

/** What Routers keep of Routes that are deleted in this transaction. */
export async function routerResidues(
  db: Database,
  routes: readonly ServedRoute[],
  clock: RoutesParts['clock'],
): Promise<ReadonlyArray<NewRow<'route_residues'>>> {
  const created_at = clock.now().toISOString()
  const residues: NewRow<'route_residues'>[] = []
  for (const { route } of routes)
    for (const { node_id, leaf_scope } of await placementsWhere(db, { route_id: route.id }))
      residues.push({
        node_id,
        route_id: route.id,
        domain: route.domain,
        retained_steps: ['caddy', 'certificate'],
        leaf_scope,
        created_at,
      })
  return residues
}
