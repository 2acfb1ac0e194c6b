import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { requireScopes } from '#/clusters/api.ts'
import type { InstanceRoutes } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { makeChangeDomain } from '#/routes/change-domain.ts'
import { makeRouteMoves } from '#/routes/move.ts'
import { ownRoutesOf } from '#/routes/own.ts'
import { domainTaken, planPreview, planRoute } from '#/routes/plan.ts'
import { presentRoute } from '#/routes/present.ts'
import {
  addResidues,
  addTarget,
  appRoutes,
  deleteRoutes,
  findByDomain,
  findRoute,
  insertRoute,
  updateRoute,
} from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { deleteTargetsOf, type SharedRoute, sharedRoutesOf } from '#/routes/pools/queries.ts'
import { forgetSetsFor } from '#/routes/pools/give-up.ts'
import { setResidues } from '#/routes/pools/residues.ts'
import { clearLeft, dropShared, leaveShared } from '#/routes/pools/leave.ts'
import { closeWhereAnswered, edgeResidues } from '#/routes/edge/offline.ts'
import { routerResidues, withdrawFromAnswering } from '#/routes/routers/offline.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { publishRoute } from '#/routes/steps/publication.ts'
import { isOnNode, residuesOf, withdrawRoute } from '#/routes/steps/withdrawal.ts'

/** Fills the port of the Instances. */
export const makeInstanceRoutes = (deps: RoutesDeps): InstanceRoutes => ({
  plan: (placement, wanted) => planRoute(deps, placement, wanted),
  planPreview: (placement, wanted) => planPreview(deps, placement, wanted),
  changeDomain: makeChangeDomain(deps),
  ...makeRouteMoves(deps),
  ...makeServing(deps),
  ...makeRecords(deps),
})

const makeServing = (
  deps: RoutesDeps,
): Pick<InstanceRoutes, 'publish' | 'unpublish' | 'remove' | 'withdrawNames'> => ({
  publish: async (session, { id }) => {
    for (const { route } of await servedRows(deps.store.db, { instanceId: id }))
      await underLock(deps, session.call, route.id, async () => {
        const { call } = session
        if (route.status === 'active') return
        const isPublic = route.publication === 'public'
        await publishRoute({ deps, call, session, routeId: route.id, isPublic })
      })
  },
  unpublish: async (session, { id }) => {
    for (const served of await servedRows(deps.store.db, { instanceId: id }))
      await withdraw(deps, session, served, 'pending')
  },
  remove: async (session, row, silent) => {
    const { id } = row
    const pools = await sharedRoutesOf(deps.store.db, id)
    for (const { routeId } of pools)
      await underShared(deps, session.call, { routeId, instanceId: id }, (shared) =>
        leaveShared(deps, session, { instanceId: id, shared, silent }),
      )
    const routes = await servedRows(deps.store.db, { instanceId: id })
    // Its own one last (RTE-151). Each is gone, whatever becomes of the Instance then (EV-051).
    const ordered = [...routes].toSorted((a, b) => Number(isWhole(a)) - Number(isWhole(b)))
    for (const served of ordered) {
      await withdraw(deps, session, served, 'deleted', silent)
      const { id: routeId, domain } = served.route
      await session.call.publish('route.deleted', { id: routeId, domain })
    }
    // An earlier attempt that left the pool may have ended before its Node knew.
    if (pools.length === 0 && !routes.some(isWhole)) await clearLeft(deps, session, id)
  },
  withdrawNames: async (call, instanceId) => {
    for (const { routeId } of await sharedRoutesOf(deps.store.db, instanceId))
      await underShared(deps, call, { routeId, instanceId }, (shared) =>
        dropShared(deps, call, { instanceId, shared }),
      )
    const routes = await servedRows(deps.store.db, { instanceId })
    for (const { route } of routes)
      await updateRoute(deps.store.db, route.id, { status: 'retiring', has_name: 0 })
    if (routes.some(({ route }) => route.has_name === 1)) await deps.names.publish(call)
    for (const { route } of routes) {
      await closeWhereAnswered(deps, call, route.id)
      await withdrawFromAnswering(deps, call, route)
    }
  },
})

interface Sharing {
  readonly routeId: number
  readonly instanceId: number
}

/** Takes an Instance out of a pool. While this waited for the lock the others may have left: the Route goes with this one then. */
async function underShared(
  deps: RoutesDeps,
  call: Call,
  { routeId, instanceId }: Sharing,
  leave: (shared: SharedRoute) => Promise<unknown>,
): Promise<void> {
  await underLock(deps, call, routeId, async () => {
    const shared = (await sharedRoutesOf(deps.store.db, instanceId)).find((one) => one.routeId === routeId)
    if (shared) await leave(shared)
  })
  await tellLeft(deps, call, routeId)
}

/** A pool has other targets without the Instance, whatever else the removal does (EV-050). */
async function tellLeft({ store }: RoutesDeps, call: Call, routeId: number): Promise<void> {
  const route = await findRoute(store.db, routeId)
  if (route) await call.publish('route.updated', presentRoute(route))
}

const isWhole = ({ route }: ServedRoute): boolean => route.web_root === null

/** Its checkout goes with it, so what may be read of that is not set again. */
const withdraw = (
  deps: RoutesDeps,
  session: NodeSession,
  served: ServedRoute,
  ends: 'pending' | 'deleted',
  silent?: NodeRecord[],
): Promise<void> =>
  underLock(deps, session.call, served.route.id, async () => {
    const { call, node } = session
    await withdrawRoute({
      deps,
      call,
      session,
      node,
      served,
      ends,
      keepsCheckout: false,
      ...(silent ? { silent } : {}),
    })
  })

const underLock = <T>(deps: RoutesDeps, call: Call, id: number, work: () => Promise<T>): Promise<T> =>
  holding(deps.store, call, lockOf('route', id), work)

const makeRecords = ({
  store,
  clock,
}: RoutesDeps): Pick<InstanceRoutes, 'reserve' | 'forget' | 'leaveBehind' | 'own' | 'targetsOf'> => ({
  reserve: async (db, { id, project_id, node_id }, planned) => {
    await requireScopes(db, [{ nodeId: node_id, clusterId: planned.clusterId, tld: planned.tld }])
    const route = await insertRoute(db, {
      kind: 'app',
      project_id,
      node_id: planned.clusterId === null ? node_id : null,
      cluster_id: planned.clusterId,
      generation_basis_node_id: planned.generationBasisNodeId,
      domain: planned.domain,
      provenance: planned.provenance,
      publication: 'private',
      status: 'pending',
      created_at: clock.now().toISOString(),
    })
    if (!route) throw domainTaken(planned.domain)
    await addTarget(db, route.id, id)
  },
  forget: async (db, instanceId) => void (await forget(db, instanceId)),
  leaveBehind: async (db, call, instanceId) => {
    const left = (await servedRows(db, { instanceId })).filter(
      ({ route }) => route.status !== 'pending' || isOnNode(route),
    )
    const shared = []
    for (const { routeId } of await sharedRoutesOf(db, instanceId))
      shared.push(...(await servedRows(db, { routeId, instanceId, isMoving: true })))
    const own = [...left, ...shared].flatMap((served) => residuesOf(served, clock))
    const ofSets = (await setResidues(db, instanceId, clock)).filter(
      ({ leaf_scope }) => !own.some((residue) => residue.leaf_scope === leaf_scope),
    )
    await addResidues(db, [...own, ...ofSets])
    await addResidues(db, await routerResidues(db, left, clock))
    await addResidues(
      db,
      await edgeResidues(
        db,
        left.map(({ route }) => route.id),
        clock,
      ),
    )
    for (const { id, domain } of await forget(db, instanceId)) call.event('route.deleted', { id, domain })
  },
  own: async (instanceIds) => {
    const own = await ownRoutesOf(store.db, instanceIds)
    return new Map([...own].map(([id, route]) => [id, presentRoute(route)]))
  },
  targetsOf: async (domain) => {
    const route = await findByDomain(store.db, domain)
    return route?.kind === 'app' ? route.targets.map(({ instance_id }) => instance_id) : []
  },
})

/** The Routes that are gone with the Instance. A pool keeps its Route for the others. */
async function forget(db: Database, instanceId: number): Promise<readonly RouteRecord[]> {
  const routes = await appRoutes(db, [instanceId])
  const alone = routes.filter(({ targets }) => targets.length === 1 && targets[0]?.instance_id === instanceId)
  await deleteRoutes(
    db,
    alone.map(({ id }) => id),
  )
  await deleteTargetsOf(db, instanceId)
  await forgetSetsFor(db, instanceId)
  return alone
}
