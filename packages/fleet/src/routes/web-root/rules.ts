import { fail, projectTypeRules } from '@fleet/contract'
import { effectiveRoot, type InstanceRecord, requireNoTransfer } from '#/instances/api.ts'
import { requireNoOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { nodeScopeOrRefuse, requireWebRoot } from '#/routes/plan.ts'
import { requireProductionRoot } from '#/routes/production/web-root.ts'
import type { RouteRecord } from '#/routes/record.ts'

/**
 * The Instance of a Route that may get the web root. Throws `route.reconciliation_required` for a Route that is not `active`,
 * `route.web_root_conflict`, `route.web_root_unsupported` for a pool, and whatever a new Route with the web root would be
 * refused with (RTE-078 to RTE-082, RTE-138, RTE-139).
 */
export async function webRootInstance(
  deps: Pick<RoutesDeps, 'store' | 'clusters' | 'instances'>,
  route: RouteRecord,
  webRoot: string | null,
): Promise<InstanceRecord> {
  const { id, status, targets } = route
  const [target] = targets
  const instance = target && (await deps.instances.find(target.instance_id))
  if (status !== 'active' || !instance)
    throw fail('route.reconciliation_required', { details: { existing_route_id: id, status } })
  requireNotOwn(route, instance)
  if (targets.length > 1) throw fail('route.web_root_unsupported', { details: { web_root: webRoot } })
  if (instance.status !== 'active')
    throw fail('route.target_inactive', { details: { instance_id: instance.id } })
  requireNoTransfer(instance)
  await nodeScopeOrRefuse(deps, instance.node)
  requireProductionRoot(instance, webRoot)
  if (webRoot === null) {
    requireWebRoot(effectiveRoot(instance))
    await requireNoOwn(deps, instance.id, id)
  }
  return instance
}

/** The own Route of an application serves the web root of its Instance, and so does that of a `monorepo` in production (RTE-139). */
function requireNotOwn(
  { id, domain, web_root }: RouteRecord,
  { project: { type }, environment }: InstanceRecord,
): void {
  if (web_root !== null) return
  const needsOwn = projectTypeRules[type].needsRoute || (type === 'monorepo' && environment === 'production')
  if (needsOwn)
    throw fail('route.web_root_conflict', { details: { existing_route_id: id, domain, project_type: type } })
}
