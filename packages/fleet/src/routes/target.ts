import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireNoTransfer } from '#/instances/api.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { withdrawVacated } from '#/routes/steps/vacated.ts'
import { isOnNode, withdrawRoute } from '#/routes/steps/withdrawal.ts'
import { targetConflict } from '#/routes/target-conflict.ts'

/** Throws `route.kind_unsupported` (RTE-100). */
export function requireApp({ kind }: RouteRecord): void {
  if (kind !== 'app') throw fail('route.kind_unsupported', { details: { kind } })
}

/** Both Routes of a pair lead where the replaced one did. Throws `route.domain_change_conflict`. */
export function requireSettledPair(route: RouteRecord): void {
  if (isInTransition(route))
    throw fail('route.domain_change_conflict', {
      details: { existing_route_id: route.replaces_route_id ?? route.id, domain: route.domain },
    })
}

/** An open transfer owns the Routes of its Instance (RTE-173). Throws `instance.transfer_incomplete`. */
export async function requireSettledTargets(
  { instances }: Pick<RoutesDeps, 'instances'>,
  { targets }: Pick<RouteRecord, 'targets'>,
): Promise<void> {
  for (const { instance_id } of targets) {
    const instance = await instances.find(instance_id)
    if (instance) requireNoTransfer(instance)
  }
}

/**
 * An active Instance would be served by nothing, and whatever else is `active` is not changed by its target (RTE-094, RTE-096).
 * Throws `route.target_conflict` and `route.reconciliation_required`.
 */
export async function detachable(
  { instances }: Pick<RoutesDeps, 'instances'>,
  { id, status, targets, web_root }: RouteRecord,
): Promise<void> {
  for (const { instance_id } of targets)
    if ((await instances.find(instance_id))?.status === 'active')
      throw targetConflict({
        requested: id,
        existing: id,
        instances: [instance_id],
        ...(web_root === null ? {} : { message: keepsTarget(id) }),
      })
  if (status === 'active')
    throw fail('route.reconciliation_required', { details: { existing_route_id: id, status } })
}

/** The Instance has a Route of its own besides, so this one may go as a whole. */
const keepsTarget = (id: number): string =>
  `A Route with a web root keeps its Instance while that is active. Remove the Route instead: \`fleet route:destroy ${id}\`.`

/**
 * What the Node of the target still has of the Route. Without a target its Routers and its ingress keep what they have where it stays
 * in their scope: they lead to the next target.
 */
export async function withdrawTarget(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  next?: Pick<RouteRecord, 'node_id' | 'cluster_id'>,
): Promise<void> {
  const [served] = await servedRows(deps.store.db, { routeId: route.id })
  const isMoving = next !== undefined && !isSameScope(route, next)
  if (!served) return isMoving ? withdrawVacated({ deps, call, route }) : undefined
  if (!isOnNode(served.route)) return
  const node = await deps.nodes.find(served.instance.node_id)
  if (!node) return
  const session = deps.nodes.sessions.overTunnel(call, node)
  await withdrawRoute({ deps, call, session, node, served, ends: 'pending', keepsCheckout: true })
}

const isSameScope = (
  one: Pick<RouteRecord, 'node_id' | 'cluster_id'>,
  other: Pick<RouteRecord, 'node_id' | 'cluster_id'>,
): boolean => one.node_id === other.node_id && one.cluster_id === other.cluster_id
