import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { InstanceRoutes } from '#/instances/api.ts'
import { isInTransition, ownRoutesOf } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { requireFree, suffixOrRefuse } from '#/routes/plan.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { domainOrRefuse } from '#/routes/rules.ts'
import { underLocks } from '#/routes/under-locks.ts'
import { replaced, requireTargets, resume } from '#/routes/update.ts'

/** See `InstanceRoutes.changeDomain`. A generated Route keeps its provenance and the Node that it is based on (INS-085). */
export const makeChangeDomain =
  (deps: RoutesDeps): InstanceRoutes['changeDomain'] =>
  async (call, { id: instanceId }, text) => {
    const domain = domainOrRefuse(text)
    const own = await requireOwn(deps, instanceId)
    return underLocks(deps, call, { id: own.id, found: own }, async () =>
      // It may have been replaced while this waited.
      change(deps, call, await requireOwn(deps, instanceId), domain),
    )
  }

/** Throws `instance.route_required`: a pool is changed by its Route, not by one of its Instances (INS-087). */
async function requireOwn({ store }: RoutesDeps, instanceId: number): Promise<RouteRecord> {
  const own = (await ownRoutesOf(store.db, [instanceId])).get(instanceId)
  if (own?.targets.length === 1) return own
  throw fail('instance.route_required', {
    details: { instance_id: instanceId, ...(own ? { route: { id: own.id, domain: own.domain } } : {}) },
  })
}

async function change(deps: RoutesDeps, call: Call, route: RouteRecord, domain: string): Promise<boolean> {
  if (isInTransition(route)) {
    await resume(deps, call, route, { domain })
    return true
  }
  if (route.domain === domain) return false
  const details = { existing_route_id: route.id, status: route.status }
  if (route.status !== 'active') throw fail('route.reconciliation_required', { details })
  await requireTargets(deps, route)
  await requireFree(deps, { domain, suffix: await suffixOrRefuse(deps), nodeId: route.node_id })
  await replaced(deps, call, { routeId: route.id, domain, publication: route.publication })
  return true
}
