import { fail } from '@fleet/contract'
import type { RecordedDisposition, RecordedPool, RecordedSet } from '@fleet/store'
import { effectiveRoot, type InstanceRecord } from '#/instances/api.ts'
import { identityOf } from '#/nodes/api.ts'
import { isProduction } from '#/routes/edge/rules.ts'
import { isInTransition } from '#/routes/own.ts'
import { requireWebRoot } from '#/routes/plan.ts'
import { invalidDisposition, isSameList, type SetRequest } from '#/routes/pools/request.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { targetConflict, targetInactive } from '#/routes/target-conflict.ts'

/** The records that a set of targets is checked against. */
export interface SetWorld {
  readonly route: RouteRecord
  readonly instances: ReadonlyMap<number, InstanceRecord>
  /** The own Route of each of the targets. */
  readonly own: ReadonlyMap<number, RouteRecord>
  readonly destinations: ReadonlyMap<number, RouteRecord>
  /** The Cluster in whose scope the Node of each Instance is, by the id of the Node: none in an inactive one. */
  readonly scopes: ReadonlyMap<number, number | null>
}

export const targetIdsOf = ({ targets }: Pick<RouteRecord, 'targets'>): readonly number[] =>
  targets.map(({ instance_id }) => instance_id)

/** Nothing of it is left to do, so that it may be sent again (RTX-049). */
export const isCompleted = (
  { route, instances, destinations }: SetWorld,
  { targets, dispositions }: SetRequest,
): boolean =>
  isSameList(targetIdsOf(route), targets) &&
  dispositions.every(({ instance_id, route_id }) => {
    if (route_id === null) return !instances.has(instance_id)
    const destination = destinations.get(route_id)
    return destination !== undefined && targetIdsOf(destination).includes(instance_id)
  })

/**
 * An explicit Route without a web root, whose Instances are production (RTE-104, RTE-115, RTE-124). Answers its Cluster. Throws
 * `route.web_root_unsupported` and `route.pool_unsupported`.
 */
export function requirePoolRoute({ route, instances }: SetWorld): number {
  if (route.web_root !== null)
    throw fail('route.web_root_unsupported', { details: { web_root: route.web_root } })
  const development = targetIdsOf(route).find((id) => instances.get(id)?.environment === 'development')
  if (route.provenance === 'explicit' && route.cluster_id !== null && development === undefined)
    return route.cluster_id
  throw fail('route.pool_unsupported', {
    details: {
      provenance: route.provenance,
      cluster_id: route.cluster_id,
      ...(development === undefined ? {} : { instance_id: development }),
    },
  })
}

/** Throws `route.reconciliation_required`: what serves, or waits for its first Instance, is changed and nothing else. */
export function requireSettled({ id, status }: RouteRecord): void {
  if (status !== 'active' && status !== 'pending')
    throw fail('route.reconciliation_required', { details: { existing_route_id: id, status } })
}

/** What is to serve which Route. Throws the codes of RTE-115 to RTE-124. */
export function planPools(world: SetWorld, request: SetRequest): RecordedSet {
  const { route } = world
  const { targets, dispositions } = request
  requireDistinct(route, targets)
  for (const id of targets) requireTarget(world, id)
  requireDistinctNodes(world, route, targets)
  const after = new Map([[route.id, targets]])
  const before = new Map([[route.id, targetIdsOf(route)]])
  const poolOf = (one: RouteRecord): readonly number[] => {
    before.set(one.id, targetIdsOf(one))
    return after.get(one.id) ?? targetIdsOf(one)
  }
  for (const id of targets) {
    const source = world.own.get(id)
    if (!source || source.id === route.id) continue
    requireSource(world, source)
    after.set(
      source.id,
      poolOf(source).filter((other) => other !== id),
    )
  }
  for (const [destination, id] of reassigned(world, request))
    after.set(destination.id, [...poolOf(destination), id])
  for (const { route_id } of dispositions) {
    const destination = route_id === null ? undefined : world.destinations.get(route_id)
    if (destination) requireDestinationNodes(world, destination, after.get(destination.id) ?? [])
  }
  const pools = [...after].map(([route_id, ids]): RecordedPool => ({
    route_id,
    before: before.get(route_id) ?? [],
    after: ids,
  }))
  return { targets, dispositions, pools: pools.toSorted((one, other) => one.route_id - other.route_id) }
}

/** Throws `route.target_conflict` for an Instance that is named twice (RTE-116). */
function requireDistinct({ id }: RouteRecord, targets: readonly number[]): void {
  const twice = targets.find((target, at) => targets.indexOf(target) !== at)
  if (twice !== undefined)
    throw targetConflict({
      requested: id,
      existing: id,
      instances: [twice],
      message: 'An Instance is named more than once.',
    })
}

/** An active production Instance of the Project, on an active Node for production of the Cluster (RTE-105, RTE-117 to RTE-120). */
function requireTarget(world: SetWorld, id: number): void {
  const { route, instances } = world
  const instance = instances.get(id)
  if (instance?.status !== 'active') throw targetInactive(instance, id)
  if (instance.project_id !== route.project_id)
    throw fail('route.target_app_conflict', { details: { instance_id: id, project_id: route.project_id } })
  if (!isProduction(instance)) throw fail('route.pool_unsupported', { details: { instance_id: id } })
  requireScope(world, route, instance)
  requireWebRoot(effectiveRoot(instance))
}

function requireScope({ scopes }: SetWorld, { cluster_id }: RouteRecord, { id, node }: InstanceRecord): void {
  const isServing =
    node.status === 'active' && node.wireguard_ip !== null && node.activeRoles.includes('app-prod')
  if (!isServing || scopes.get(node.id) !== cluster_id)
    throw fail('route.target_scope_conflict', { details: { instance_id: id, node: identityOf(node) } })
}

/** Throws `route.target_conflict`: the Nodes of a pool are spread over, one Instance each (RTE-116). */
function requireDistinctNodes(
  { instances }: SetWorld,
  { id }: RouteRecord,
  targets: readonly number[],
): void {
  const shared = sharedNode(instances, targets)
  if (shared)
    throw targetConflict({
      requested: id,
      existing: id,
      instances: shared.map((instance) => instance.id),
      message: `Two targets are on the Node ${shared[0].node.name}.`,
    })
}

function sharedNode(
  instances: SetWorld['instances'],
  ids: readonly number[],
): readonly [InstanceRecord, InstanceRecord] | undefined {
  const byNode = new Map<number, InstanceRecord>()
  for (const id of ids) {
    const instance = instances.get(id)
    if (!instance) continue
    const other = byNode.get(instance.node_id)
    if (other) return [other, instance]
    byNode.set(instance.node_id, instance)
  }
  return undefined
}

/** An added Instance may come from another Route of the Cluster, which is not in a change of its own (RTE-107). */
function requireSource({ route }: SetWorld, source: RouteRecord): void {
  if (isInTransition(source))
    throw fail('route.domain_change_conflict', {
      details: { existing_route_id: source.replaces_route_id ?? source.id, domain: source.domain },
    })
  if (source.cluster_id !== route.cluster_id)
    throw fail('route.target_scope_conflict', {
      details: { existing_route_id: source.id, instance_ids: targetIdsOf(source) },
    })
  requireSettled(source)
}

/** Every Instance that leaves, with where it goes (RTE-106, RTE-121, RTE-122, RTX-014). */
function reassigned(world: SetWorld, request: SetRequest): ReadonlyArray<readonly [RouteRecord, number]> {
  const { route } = world
  const leaving = targetIdsOf(route).filter((id) => !request.targets.includes(id))
  const named = request.dispositions.map(({ instance_id }) => instance_id)
  const twice = named.find((id, at) => named.indexOf(id) !== at)
  if (twice !== undefined) throw invalidDisposition(twice, 'it is named more than once')
  const staying = named.find((id) => !leaving.includes(id))
  if (staying !== undefined) throw invalidDisposition(staying, 'it does not leave the pool of this Route')
  const missing = leaving.filter((id) => !named.includes(id))
  if (missing.length > 0)
    throw fail('route.target_disposition_required', { details: { instance_ids: missing } })
  return request.dispositions.flatMap((disposition) => {
    const destination = destinationOf(world, disposition)
    return destination ? [[destination, disposition.instance_id] as const] : []
  })
}

/** A compatible explicit Route; undefined for a removal. */
function destinationOf(
  world: SetWorld,
  { instance_id, route_id }: RecordedDisposition,
): RouteRecord | undefined {
  const { route, instances, destinations } = world
  if (route_id === null) return undefined
  const destination = destinations.get(route_id)
  if (!destination) throw invalidDisposition(instance_id, 'the Route does not exist')
  const reason = unfit(route, destination, instances)
  if (reason !== undefined) throw invalidDisposition(instance_id, reason)
  if (destination.project_id !== route.project_id)
    throw fail('route.target_app_conflict', { details: { instance_id, existing_route_id: destination.id } })
  const instance = instances.get(instance_id)
  if (instance?.status !== 'active') throw targetInactive(instance, instance_id)
  requireScope(world, destination, instance)
  return destination
}

/** Why an Instance cannot be led to by a Route. */
function unfit(
  route: RouteRecord,
  destination: RouteRecord,
  instances: SetWorld['instances'],
): string | undefined {
  if (destination.id === route.id) return 'the Route is the one that it leaves'
  if (destination.kind !== 'app') return 'the Route does not lead to Instances'
  if (destination.provenance !== 'explicit') return 'the domain of the Route is generated'
  if (destination.cluster_id !== route.cluster_id) return 'the Route is not in this Cluster'
  if (destination.web_root !== null) return 'the Route has a web root'
  if (isInTransition(destination)) return 'the domain of the Route is being changed'
  if (destination.status !== 'active' && destination.status !== 'pending')
    return `the Route is \`${destination.status}\``
  if (targetIdsOf(destination).some((id) => instances.get(id)?.environment === 'development'))
    return 'the Route leads to a development Instance'
  return undefined
}

function requireDestinationNodes(
  { instances }: SetWorld,
  { domain }: RouteRecord,
  ids: readonly number[],
): void {
  const [one, other] = sharedNode(instances, ids) ?? []
  if (one && other)
    throw invalidDisposition(other.id, `${domain} has an Instance on the Node ${one.node.name} already`)
}
