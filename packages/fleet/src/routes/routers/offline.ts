import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { RouteRow } from '#/routes/record.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { routerResidue } from '#/routes/routers/residue.ts'
import { leaveSilentRouters, withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import type { ServedRoute } from '#/routes/served.ts'

type Deps = Pick<RoutesDeps, 'store' | 'clock' | 'nodes' | 'certificates' | 'webServer'>

/** What Routers that answer have of a Route; those that do not keep it, which is recorded. */
export async function withdrawFromAnswering(
  deps: Deps,
  call: Call,
  route: Pick<RouteRow, 'id' | 'domain' | 'cluster_id'>,
): Promise<void> {
  await leaveSilentRouters(deps, call, route)
  await withdrawRouterSites(deps, call, route)
  await withdrawRouterLeaves(deps, call, route)
}

/** What Routers keep of Routes that are deleted in this transaction. */
export async function routerResidues(
  db: Database,
  routes: readonly ServedRoute[],
  clock: RoutesDeps['clock'],
): Promise<ReadonlyArray<NewRow<'route_residues'>>> {
  const residues: NewRow<'route_residues'>[] = []
  for (const { route } of routes)
    for (const placement of await placementsWhere(db, { route_id: route.id }))
      residues.push(routerResidue(placement, route.domain, clock))
  return residues
}
