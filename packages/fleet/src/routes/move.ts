import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import { requireScopes } from '#/clusters/api.ts'
import { effectiveRoot, type HowToMove, type InstanceRecord, type InstanceRoutes } from '#/instances/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { isInTransition, isOwn } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { nodeScopeOrRefuse } from '#/routes/plan.ts'
import { planTarget } from '#/routes/plan-target.ts'
import { presentRoute } from '#/routes/present.ts'
import { appRoutes, findRoute, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { directoryOf } from '#/routes/served.ts'
import { servedRows } from '#/routes/served/queries.ts'

/** Routes keep their ids when their Instance moves to another Node (RTE-148). */
export const makeRouteMoves = (
  deps: RoutesDeps,
): Pick<InstanceRoutes, 'planMove' | 'move' | 'tellMoved'> => ({
  planMove: async (instance, { isOpen, ...ends }) => {
    const routes = await appRoutes(deps.store.db, [instance.id])
    const own = routes.find(isOwn)
    if (!own) throw withoutOwnRoute(instance)
    const unsettled = routes.find(isInTransition) ?? (!isOpen && own.status !== 'active' ? own : undefined)
    if (unsettled)
      throw fail('instance.lifecycle_conflict', {
        message: `The Route ${unsettled.domain} is changing, or its last change has failed.`,
        details: { reason: 'route_unsettled', route_id: unsettled.id, route_status: unsettled.status },
      })
    const { clusterId } = await nodeScopeOrRefuse(deps, instance.node)
    if (clusterId === null) throw await standalone(deps, instance.node)
    const planned = []
    for (const route of [own, ...routes.filter(({ id }) => id !== own.id)]) {
      await requireSource(deps, route)
      const target = await planTarget(deps, route, instance)
      requireCluster(route, clusterId)
      planned.push({ ...target, routeId: route.id, isOwn: route.id === own.id })
    }
    const versions = await versionsThere(deps, instance, ends)
    return planned.map((move) => ({ ...move, php_version: versions.get(move.routeId) ?? null }))
  },
  move: async (db, planned) => {
    await requireScopes(
      db,
      planned.map(({ scope }) => scope),
    )
    for (const { routeId, isOwn: _own, scope: _scope, ...values } of planned) {
      const route = await findRoute(db, routeId)
      // The change of its web root goes on where it stopped, and chooses anew.
      const change = route?.web_root_change
      await updateRoute(db, routeId, {
        ...values,
        ...(change ? { web_root_change: { ...change, php_version: null } } : {}),
      })
    }
  },
  tellMoved: async (call, instanceId) => {
    for (const route of await appRoutes(deps.store.db, [instanceId]))
      await call.publish('route.updated', presentRoute(route))
  },
})

/** Of every Route that runs PHP, by its id. Each directory is asked for once, because all Routes of it have one pool (RTE-141). */
async function versionsThere(
  { php, store: { db } }: RoutesDeps,
  { id }: InstanceRecord,
  { source, destination }: Omit<HowToMove, 'isOpen'>,
): Promise<ReadonlyMap<number, string | null>> {
  const running = (await servedRows(db, { instanceId: id })).filter(({ route }) => route.php_version !== null)
  const versions = new Map<number, string | null>()
  for (const [directory, routes] of Map.groupBy(running, directoryOf))
    for (const { instance, route } of routes.slice(0, 1)) {
      const from = { session: source, checkoutPath: instance.checkout_path, directory }
      const version = await php.versionThere(destination, { ...from, recorded: route.php_version })
      for (const one of routes) versions.set(one.route.id, version)
    }
  return versions
}

/** A Project whose root is the repository itself serves no files, so no Route can be created for it. */
function withoutOwnRoute(instance: InstanceRecord): CodedError {
  const canHaveOne = effectiveRoot(instance) !== '.'
  const why = canHaveOne ? 'no Route of its own that leads to it alone' : 'no web root, so it has no Route'
  return fail('instance.lifecycle_conflict', {
    message: `The Instance has ${why}, which a transfer takes along.`,
    details: { reason: canHaveOne ? 'own_route_missing' : 'own_route_impossible', route_status: null },
  })
}

/** Names the Node that is not a member of an active Cluster, and the inactive Cluster that it is a member of. */
async function standalone({ clusters }: Pick<RoutesDeps, 'clusters'>, node: NodeRecord): Promise<CodedError> {
  const cluster = node.cluster_id === null ? undefined : await clusters.find(node.cluster_id)
  const why = cluster
    ? `${cluster.name}, the Cluster of ${node.name}, is inactive.`
    : `${node.name} is not a member of a Cluster.`
  return fail('instance.standalone_unsupported', {
    message: `A transfer needs two Nodes that are members of active Clusters. ${why}`,
    details: {
      node: identityOf(node),
      ...(cluster ? { cluster: { id: cluster.id, name: cluster.name }, reason: 'cluster_inactive' } : {}),
    },
  })
}

async function requireSource(
  deps: Pick<RoutesDeps, 'clusters' | 'nodes'>,
  { cluster_id: id, node_id: nodeId }: RouteRecord,
): Promise<void> {
  if (id === null) {
    const node = nodeId === null ? undefined : await deps.nodes.find(nodeId)
    throw node ? await standalone(deps, node) : fail('instance.standalone_unsupported')
  }
  if (!(await deps.clusters.routerOf(id)))
    throw fail('instance.transfer_source_router_unknown', { details: { cluster_id: id } })
}

/** Its visitors come through the ingress of its Cluster (RTE-149). */
function requireCluster({ publication, cluster_id, id, domain }: RouteRecord, next: number): void {
  if (publication === 'public' && cluster_id !== next)
    throw fail('instance.lifecycle_conflict', {
      message: `The Route ${domain} is public: its visitors come through the ingress of its Cluster, so its Instance stays there.`,
      details: { reason: 'route_public', route_id: id, publication },
    })
}
