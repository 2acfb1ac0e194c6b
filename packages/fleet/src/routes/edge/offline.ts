import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type NodeRecord, silentCode } from '#/nodes/api.ts'
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
 * Closes a Route to the public. An ingress that does not answer keeps its site and ports: that is recorded, and removed when it
 * converges (RTE-175 to RTE-177). Returns it.
 */
export async function leaveSilentIngress(
  deps: EdgeDeps & Pick<RoutesDeps, 'clock'>,
  call: Call,
  routeId: number,
): Promise<readonly NodeRecord[]> {
  const residues = await edgeResidues(deps.store.db, [routeId], deps.clock)
  const node = residues[0] && (await deps.nodes.find(residues[0].node_id))
  if (!node || (node.status === 'active' && (await deps.nodes.answers(call, node)))) {
    await closeToPublic({ ...edgeChangeOf(deps, call, [routeId]), skipsSilentRouters: true })
    return []
  }
  await deps.store.transaction(async (db) => {
    await addResidues(db, residues)
    await updateRoute(db, routeId, { edge_step: null })
  })
  return [node]
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
