import type { Database, RecordedPool } from '@fleet/store'
import type { Step } from '@fleet/steps'
import { requireScopes } from '#/clusters/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { type EdgeChange, publishingSteps } from '#/routes/edge/publish.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import {
  buildOn,
  instancesOf,
  joinsOf,
  leavesOf,
  onEach,
  onNodes,
  type PoolChange,
  receivingIds,
  routeIdsOf,
  routesOf,
  servedOf,
  servedOfPlaced,
} from '#/routes/pools/change.ts'
import { deletePhases, movePhase, storePool } from '#/routes/pools/queries.ts'
import { routesByIds, updateRoute } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { routersFor, serveOnRouters } from '#/routes/routers/serve.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { appLeaf, liveScope, type ServedRoute, stagingScope } from '#/routes/served.ts'

/** Stored with the association: from here on the record names the step (RTE-113). */
export const COMMITTED = 'commit'

/** One transaction: who serves which Route (RTE-111). */
export const commit: Step<PoolChange> = {
  name: COMMITTED,
  commits: true,
  run: (change) =>
    change.deps.store.transaction(async (tx) => {
      await requireInCluster(tx, change)
      const routes = new Map((await routesByIds(tx, routeIdsOf(change))).map((route) => [route.id, route]))
      for (const pool of change.pools) {
        const route = routes.get(pool.route_id)
        if (!route) continue
        await storePool(tx, pool)
        await updateRoute(tx, route.id, statusAfter(route, pool))
      }
      await updateRoute(tx, change.routeId, {
        target_set_step: COMMITTED,
        failed_step: null,
        error_code: null,
      })
    }),
}

/** Throws `route.busy` when the Node of an Instance that joins has left the Cluster of the Route meanwhile. */
async function requireInCluster(tx: Database, change: PoolChange): Promise<void> {
  const joining = await servedRows(tx, { routeIds: receivingIds(change), isMoving: true })
  await requireScopes(
    tx,
    joining.flatMap(({ route, instance, phase }) =>
      phase === 'joining' ? [{ nodeId: instance.node_id, clusterId: route.cluster_id }] : [],
    ),
  )
}

/** A Route that got its first Instance is served from now on; one that lost its last keeps its domain and waits (RTE-108). */
function statusAfter(
  { status }: RouteRow,
  { after }: RecordedPool,
): Partial<Pick<RouteRow, 'status' | 'has_site' | 'has_source'>> {
  if (after.length === 0) return { status: 'pending' }
  return {
    has_site: 1,
    has_source: 1,
    ...(status === 'pending' ? { status: 'activating' } : {}),
  }
}

/** Of Instances that stayed or were reassigned; an added one knows its name (RTE-111). */
const urls: Step<PoolChange> = {
  name: 'application-urls',
  run: async (change) =>
    onEach(
      change,
      (await servedOf(change, receivingIds(change))).filter((served) => isToBeNamed(change, served)),
      (session, served) => writeApplicationUrl(change.deps, session, served),
    ),
}

const isToBeNamed = ({ routeId }: PoolChange, { route, phase }: ServedRoute): boolean =>
  phase === null || (phase === 'joined' && route.id !== routeId)

/** Where one Instance takes the place of another on the same Node. */
const sites: Step<PoolChange> = {
  name: 'workload-sites',
  run: async (change) => {
    const served = await servedOf(change, routeIdsOf(change))
    const left = served.filter(({ phase }) => phase === 'leaving')
    const both = served.filter(
      ({ route, instance, phase }) =>
        phase === 'joined' &&
        left.some((one) => one.route.id === route.id && one.instance.node_id === instance.node_id),
    )
    await buildOn(
      change,
      both.map(({ instance }) => instance.node_id),
    )
    return both.length === 0 ? 'skipped' : undefined
  },
}

/** Whoever is led from now on is led to the pool as it is stored (RTE-132). */
const routers: Step<PoolChange> = {
  name: 'router-pool',
  run: async (change) => {
    for (const route of await routesOf(change, receivingIds(change)))
      await serveOnRouters(change.deps, change.call, route)
  },
}

/** They keep their domain, and answer that they are unavailable until they get an Instance; the same build where it is the same Router. */
export const vacated: Step<PoolChange> = {
  name: 'vacated-routes',
  run: async (change) => {
    const ids = [...new Set(leavesOf(change).map(({ routeId }) => routeId))]
    const nodeIds: number[] = []
    for (const route of await routesOf(change, ids))
      for (const router of await routersFor(change.deps, route))
        if (await isAsked(change, router)) nodeIds.push(router.id)
    await buildOn(change, nodeIds)
    return ids.length === 0 ? 'skipped' : undefined
  },
}

/** False for a Router that is skipped; it serves the pool as it is stored when it converges. */
async function isAsked({ deps, call, silent }: PoolChange, router: NodeRecord): Promise<boolean> {
  if (!silent || (router.status === 'active' && (await deps.nodes.answers(call, router)))) return true
  if (!silent.some(({ id }) => id === router.id)) silent.push(router)
  return false
}

/** An ingress leads to an Instance of its own Node by itself. It only follows: one that does not answer is built when it converges. */
export const ingress: Step<PoolChange> = {
  name: 'ingress',
  run: async (change) => {
    const nodeIds = []
    for (const route of await routesOf(change, routeIdsOf(change)))
      if (route.edge_step !== null) nodeIds.push(...(await ingressOf(change, route)))
    await onNodes(change, nodeIds, (session) => change.deps.webServer.build(session, 'ingress'))
    return nodeIds.length === 0 ? 'skipped' : undefined
  },
}

/** That of the Cluster, if it answers. */
async function ingressOf({ deps, call }: PoolChange, { cluster_id }: RouteRow): Promise<readonly number[]> {
  const edge = await edgeOf(deps.store.db, cluster_id)
  const node = edge?.ingress && (await deps.nodes.find(edge.ingress.nodeId))
  return node && (await deps.nodes.answers(call, node)) ? [node.id] : []
}

/** Last of what serves: nobody hears a name that leads nowhere. */
const names: Step<PoolChange> = {
  name: 'private-dns',
  run: async (change) => {
    const { store } = change.deps
    const unnamed = (await routesOf(change, receivingIds(change))).filter(({ has_name }) => has_name === 0)
    for (const { id } of unnamed) await updateRoute(store.db, id, { has_name: 1 })
    await change.deps.names.publish(change.call)
  },
}

/**
 * Routes that are meant for the public and were not open yet: they had no Instance. With an ingress that does not answer they wait
 * as without one (RTX-051).
 */
const edge = publishingSteps<PoolChange>((change): EdgeChange => ({
  deps: change.deps,
  call: change.call,
  routes: async () => {
    const found = []
    for (const route of await routesOf(change, receivingIds(change)))
      if (route.edge_step !== 'ingress-firewall' && (await ingressOf(change, route)).length > 0)
        found.push(route)
    return found
  },
}))

const certificate: Step<PoolChange> = {
  name: 'live-certificate',
  run: async (change) =>
    onEach(
      change,
      (await servedOfPlaced(change, joinsOf(change))).filter(({ phase }) => phase === 'joined'),
      (session, served) =>
        change.deps.certificates.publishLeaf(session, {
          ...appLeaf(served),
          isLoadedLater: true,
          scope: liveScope(served.instance.id),
        }),
    ),
}

const nodesOf = async (change: PoolChange): Promise<readonly number[]> =>
  (await instancesOf(change, [...joinsOf(change), ...leavesOf(change)])).map(({ node_id }) => node_id)

/** Nobody is led to what left, and what came presents its own certificate. */
const release: Step<PoolChange> = {
  name: 'release',
  run: async (change) => {
    const ids = routeIdsOf(change)
    await change.deps.store.transaction(async (tx) => {
      await deletePhases(tx, ids, ['leaving'])
      await movePhase(tx, ids, { from: 'joined', to: null })
    })
    await buildOn(change, await nodesOf(change))
  },
}

/** After the builds without them: what a live file names is never missing (RTX-095). */
export const certificates: Step<PoolChange> = {
  name: 'old-certificates',
  run: async (change) => {
    const { certificates: leaves, php } = change.deps
    const withdraw = (nodeId: number, scope: string): Promise<void> =>
      onNodes(change, [nodeId], (session) => leaves.withdrawLeaf(session, { scope }))
    for (const { id, node_id } of await instancesOf(change, joinsOf(change)))
      await withdraw(node_id, stagingScope(id))
    const removed = change.dispositions.filter(({ route_id }) => route_id === null)
    const left = await instancesOf(change, leavesOf(change))
    for (const { id, node_id } of left)
      if (removed.some(({ instance_id }) => instance_id === id)) await withdraw(node_id, liveScope(id))
    await onNodes(
      change,
      left.map(({ node_id }) => node_id),
      (session) => php.converge(session),
    )
  },
}

const activate: Step<PoolChange> = {
  name: 'activate',
  run: async (change) => {
    const { store } = change.deps
    for (const { id, status } of await routesOf(change, receivingIds(change)))
      if (status === 'activating') await updateRoute(store.db, id, { status: 'active' })
  },
}

/** Only forward (RTE-113). */
export const afterCommitOf = ({ isPublic }: PoolChange): readonly Step<PoolChange>[] => [
  urls,
  sites,
  routers,
  vacated,
  ...(isPublic ? [ingress] : []),
  names,
  ...(isPublic ? edge : []),
  certificate,
  release,
  certificates,
  activate,
]
