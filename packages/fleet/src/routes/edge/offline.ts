import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type NodeRecord, silentAmong, silentCode } from '#/nodes/api.ts'
import { closeToPublic, edgeChangeOf, type EdgeDeps } from '#/routes/edge/publish.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { addResidues, routesByIds, updateRoute } from '#/routes/queries.ts'

/**
 * Closes a Route to the public where its ingress answers, whatever its Routers do; one that does not keeps it, and the record says
 * so.
 */
export async function closeWhereAnswered(deps: EdgeDeps, call: Call, routeId: number): Promise<void> {
  try {
    await closeToPublic({ ...edgeChangeOf(deps, call, [routeId]), skipsSilentRouters: true })
  } catch (error) {
    if (silentCode(error) === undefined) throw error
  }
}

/**
 * Closes Routes to the public. An ingress that does not answer keeps its sites and ports: that is recorded, and removed when it
 * converges (RTE-175 to RTE-177). Returns those.
 */
export async function leaveSilentIngress(
  deps: EdgeDeps & Pick<RoutesDeps, 'clock'>,
  call: Call,
  routeIds: readonly number[],
): Promise<readonly NodeRecord[]> {
  const residues = await edgeResidues(deps.store.db, routeIds, deps.clock)
  const ingresses = residues.map(({ node_id }) => node_id)
  const silent = await silentAmong(deps.nodes, call, ingresses)
  const left = residues.filter(({ node_id }) => silent.some(({ id }) => id === node_id))
  await deps.store.transaction(async (db) => {
    await addResidues(db, left)
    for (const { route_id } of left) await updateRoute(db, route_id, { edge_step: null })
  })
  const rest = routeIds.filter((id) => !left.some(({ route_id }) => route_id === id))
  await closeToPublic({ ...edgeChangeOf(deps, call, rest), skipsSilentRouters: true })
  return silent
}

/** What an ingress keeps of Routes that are deleted in this transaction; its ports follow from the records that are left. */
export async function edgeResidues(
  db: Database,
  routeIds: readonly number[],
  clock: RoutesDeps['clock'],
): Promise<ReadonlyArray<NewRow<'route_residues'>>> {
  const residues: NewRow<'route_residues'>[] = []
  for (const route of await routesByIds(db, routeIds)) {
    const ingress = route.edge_step === null ? undefined : (await edgeOf(db, route.cluster_id))?.ingress
    if (!ingress) continue
    residues.push({
      node_id: ingress.nodeId,
      route_id: route.id,
      domain: route.domain,
      retained_steps: ['caddy', 'firewall'],
      created_at: clock.now().toISOString(),
    })
  }
  return residues
}
