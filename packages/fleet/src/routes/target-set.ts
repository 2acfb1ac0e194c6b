import { fail, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireScopes } from '#/clusters/api.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { type InstanceRecord, requireNoTransfer, requireSameNode } from '#/instances/api.ts'
import { ownRoutesOf } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { domainTaken } from '#/routes/plan.ts'
import { planTarget, type PlannedTarget } from '#/routes/plan-target.ts'
import { requestOrRefuse } from '#/routes/pools/request.ts'
import { setTargets } from '#/routes/pools/set.ts'
import { presentRoute } from '#/routes/present.ts'
import { publishingKept } from '#/routes/publish-kept.ts'
import { findRoute, retarget, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { publishRoute } from '#/routes/steps/publication.ts'
import { targetConflict, targetInactive } from '#/routes/target-conflict.ts'
import { detachable, requireApp, requireSettledPair, withdrawTarget } from '#/routes/target.ts'
import { underLocks } from '#/routes/under-locks.ts'

/**
 * Leads a Route that serves no active Instance to another one (RTE-090, RTE-091, RTE-093 to RTE-103, RTX-005), or to a complete set
 * of them. Whoever publishes meanwhile is waited for before anything is changed.
 */
export const makeTargetSet =
  (deps: RoutesDeps): Handler<'route:target:set'> =>
  async ({ call, input, found }) => {
    const { route: id } = input
    call.note.subject('route', id)
    const request = requestOrRefuse(input)
    if (typeof request !== 'number') return setTargets(deps, call, { routeId: id, request })
    const instance_id = request
    const seen = await deps.instances.find(instance_id)
    return underLocks(deps, call, { id, found: found?.route, besides: instance_id }, async (route) => {
      requireApp(route)
      requireSettledPair(route)
      if (route.targets.some((target) => target.instance_id === instance_id))
        return keep(deps, call, route, { id: instance_id, seen })
      return change(deps, call, route, { id: instance_id, seen })
    })
  }

interface WantedTarget {
  readonly id: number
  /** Before any lock. */
  readonly seen: InstanceRecord | undefined
}

/** A Route that is `active` is not changed; any other is served again, from its source access on (RTE-090, RTE-091). */
async function keep(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  wanted: WantedTarget,
): Promise<Outcome<RouteData>> {
  if (route.status === 'active') return { data: presentRoute(route) }
  const instance = await activeOrRefuse(deps, wanted)
  requireNoTransfer(instance)
  const planned = await planTarget(deps, route, instance)
  await deps.names.idle(call)
  if (planned.domain !== route.domain) return serve(deps, call, { route, instance, planned })
  await updateRoute(deps.store.db, route.id, { status: 'activating', failed_step: null, error_code: null })
  return publish(deps, call, route, instance)
}

async function change(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  wanted: WantedTarget,
): Promise<Outcome<RouteData>> {
  const instance = await activeOrRefuse(deps, wanted)
  if (instance.project_id !== route.project_id)
    throw fail('route.target_app_conflict', {
      details: { instance_id: instance.id, project_id: route.project_id },
    })
  requireServedRoot(route, instance)
  await requireFreeInstance(deps, route, instance)
  await detachable(deps, route)
  const planned = await planTarget(deps, route, instance)
  await deps.names.idle(call)
  await withdrawTarget(deps, call, route, planned)
  return serve(deps, call, { route, instance, planned })
}

/** Throws `route.target_inactive`, also for an Instance that does not exist (RTE-098), and `env.operation_busy` for one that moved. */
async function activeOrRefuse(
  { instances }: RoutesDeps,
  { id, seen }: WantedTarget,
): Promise<InstanceRecord> {
  const instance = await instances.find(id)
  if (instance?.status !== 'active') throw targetInactive(instance, id)
  if (seen) requireSameNode(seen, instance, 'env.operation_busy')
  return instance
}

/** What production serves of a further web root begins with a Route of its own (RTE-156). */
function requireServedRoot({ web_root }: RouteRecord, { id, environment }: InstanceRecord): void {
  if (web_root !== null && environment === 'production')
    throw fail('route.web_root_unsupported', {
      message:
        'A Route with a web root moves to no Instance of production. Create another Route for that Instance.',
      details: { web_root, instance_id: id },
    })
}

/** An Instance has one Route without a web root (RTE-079, RTE-093, RTE-138). */
async function requireFreeInstance(
  { store }: RoutesDeps,
  route: RouteRecord,
  { id }: InstanceRecord,
): Promise<void> {
  if (route.web_root !== null) return
  const own = (await ownRoutesOf(store.db, [id])).get(id)
  if (own)
    throw targetConflict({
      requested: route.id,
      existing: own.id,
      instances: [id],
      message: `The Instance already has a Route without a web root: ${own.domain}.`,
    })
}

interface Serving {
  readonly route: RouteRecord
  readonly instance: InstanceRecord
  readonly planned: PlannedTarget
}

/** The target is stored before anything is served: whatever fails then, the identical request resumes (RTE-102). */
async function serve(
  deps: RoutesDeps,
  call: Call,
  { route, instance, planned }: Serving,
): Promise<Outcome<RouteData>> {
  const created_at = deps.clock.now().toISOString()
  const { scope, ...place } = planned
  const routeId = await deps.store.transaction(async (tx) => {
    await requireScopes(tx, [scope])
    const led = await retarget(tx, route, { ...place, instanceId: instance.id, created_at })
    if (led === undefined) throw domainTaken(planned.domain)
    return led
  })
  call.note.subject('route', routeId)
  // It is gone, whatever becomes of the one in its place (EV-051).
  if (routeId !== route.id) await call.publish('route.deleted', { id: route.id, domain: route.domain })
  return publish(deps, call, { id: routeId, publication: route.publication }, instance)
}

async function publish(
  deps: RoutesDeps,
  call: Call,
  { id: routeId, publication }: Pick<RouteRecord, 'id' | 'publication'>,
  { node }: InstanceRecord,
): Promise<Outcome<RouteData>> {
  call.note.target(node.id)
  const isPublic = publication === 'public'
  const session = deps.nodes.sessions.overTunnel(call, node)
  await publishingKept(deps, call, { routeIds: [routeId], isKept: () => true }, () =>
    publishRoute({ deps, call, session, routeId, isPublic, namesApplication: true }),
  )
  const route = await findRoute(deps.store.db, routeId)
  if (!route) throw fail('route.not_found')
  const data = presentRoute(route)
  call.event('route.updated', data)
  return { data }
}
