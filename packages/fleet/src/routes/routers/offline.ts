import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import type { RouteRow } from '#/routes/record.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { routerResidue } from '#/routes/routers/residue.ts'
import { leaveSilentRouters, withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import type { ServedRoute } from '#/routes/served.ts'

type Parts = Pick<RoutesParts, 'store' | 'clock' | 'nodes' | 'certificates' | 'webServer'>

/** What Routers that answer have of a Route; those that do not keep it, which is recorded, and are returned. */
export async function withdrawFromAnswering(
  parts: Parts,
  call: Call,
  route: Pick<RouteRow, 'id' | 'domain' | 'cluster_id'>,
): Promise<readonly NodeRecord[]> {
  const silent = await leaveSilentRouters(parts, call, route)
  await withdrawRouterSites(parts, call, route)
  await withdrawRouterLeaves(parts, call, route)
  return silent
}

/** What Routers keep of Routes that are deleted in this transaction. */
export async function routerResidues(
  db: Database,
  routes: readonly ServedRoute[],
  clock: RoutesParts['clock'],
): Promise<ReadonlyArray<NewRow<'route_residues'>>> {
  const residues: NewRow<'route_residues'>[] = []
  for (const { route } of routes)
    for (const placement of await placementsWhere(db, { route_id: route.id }))
      residues.push(routerResidue(placement, route.domain, clock))
  return residues
}
