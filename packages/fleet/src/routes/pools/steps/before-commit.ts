import type { Step } from '@fleet/steps'
import type { Database } from '@fleet/store'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { publicRoutes } from '#/routes/edge/public-routes.ts'
import { addressFrom } from '#/routes/edge/rules.ts'
import {
  buildOn,
  instancesOf,
  isSkipped,
  joinsOf,
  onEach,
  onNodes,
  type PoolChange,
  receivingIds,
  routesOf,
  servedOfPlaced,
} from '#/routes/pools/change.ts'
import { deletePhases, movePhase, reserveTarget } from '#/routes/pools/queries.ts'
import { addResidues, routesByIds, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import {
  expectRouters,
  leaveSilentRouters,
  publishRouterLeaves,
  routersFor,
  withdrawRouterLeaves,
} from '#/routes/routers/serve.ts'
import { appLeaf, isMember, type ServedRoute, stagingScope } from '#/routes/served.ts'
import { access, runtime } from '#/routes/steps/publication.ts'
import { residuesOf } from '#/routes/steps/withdrawal.ts'

const joining = (change: PoolChange): Promise<readonly ServedRoute[]> =>
  servedOfPlaced(change, joinsOf(change))

const nodesOfJoins = async (change: PoolChange): Promise<readonly number[]> =>
  (await instancesOf(change, joinsOf(change))).map(({ node_id }) => node_id)

/** Known to its Node, and nowhere else yet (RTE-110). */
const reserve: Step<PoolChange> = {
  name: 'reserve',
  run: (change) =>
    change.deps.store.transaction(async (tx) => {
      for (const { routeId: route_id, instanceId: instance_id } of joinsOf(change))
        await reserveTarget(tx, { route_id, instance_id })
    }),
  undo: async (change) => {
    const { store, php } = change.deps
    const ids = receivingIds(change)
    const left = (await joining(change)).filter(({ instance }) => isSkipped(change, instance.node_id))
    await store.transaction(async (tx) => {
      await addResidues(
        tx,
        left.flatMap((served) => residuesOf(served, change.deps.clock)),
      )
      await deletePhases(tx, ids, ['reserved', 'joining'])
      await forgetSources(tx, ids)
    })
    await onNodes(change, await nodesOfJoins(change), (session) => php.converge(session))
  },
}

/** A Route that is served nowhere has no source: its first Instance was on the way. */
export async function forgetSources(db: Database, routeIds: readonly number[]): Promise<void> {
  for (const { id, has_site } of await routesByIds(db, routeIds))
    if (has_site === 0) await updateRoute(db, id, { has_source: 0, php_version: null })
}

const source: Step<PoolChange> = {
  name: 'runtime',
  run: async (change) =>
    onEach(change, await joining(change), async (session, { route, instance }) => {
      const { deps, call } = change
      const publication = { deps, call, session, routeId: route.id, instanceId: instance.id }
      await runtime.run(publication)
      await access.run(publication)
    }),
}

/** One of its own until the commit: what the Instance serves now keeps its certificate. */
const certificate: Step<PoolChange> = {
  name: 'workload-certificate',
  run: async (change) =>
    onEach(change, await joining(change), (session, served) =>
      change.deps.certificates.publishLeaf(session, { ...appLeaf(served), isLoadedLater: true }),
    ),
  undo: async (change) =>
    onEach(change, await joining(change), (session, { instance }) =>
      change.deps.certificates.withdrawLeaf(session, { scope: stagingScope(instance.id) }),
    ),
}

const site: Step<PoolChange> = {
  name: 'workload-site',
  run: async (change) => {
    const { db } = change.deps.store
    await movePhase(db, receivingIds(change), { from: 'reserved', to: 'joining' })
    for (const route of await unserved(change)) await expectRouters(change.deps, route)
    await buildOn(change, await nodesOfJoins(change))
  },
  undo: async (change) => {
    const { db } = change.deps.store
    await movePhase(db, receivingIds(change), { from: 'joining', to: 'reserved' })
    await buildOn(change, await nodesOfJoins(change))
  },
}

const unserved = async (change: PoolChange) =>
  (await routesOf(change, receivingIds(change))).filter(({ has_site }) => has_site === 0)

/** Of a Route that no Router serves: its first Instance is on the way. */
const routerCertificate: Step<PoolChange> = {
  name: 'router-certificate',
  run: async (change) => {
    const routes = await unserved(change)
    for (const route of routes) await publishRouterLeaves(change.deps, change.call, route)
    return routes.length === 0 ? 'skipped' : undefined
  },
  undo: async (change) => {
    for (const route of await unserved(change)) {
      if (change.skipped) await leaveSilentRouters(change.deps, change.call, route)
      await withdrawRouterLeaves(change.deps, change.call, route)
    }
  },
}

/** Applications of added Instances; those that stay or go elsewhere learn their name after the commit (RTE-111). */
const url: Step<PoolChange> = {
  name: 'application-url',
  run: async (change) =>
    onEach(change, await ofRequestedRoute(change), (session, served) =>
      writeApplicationUrl(change.deps, session, served),
    ),
  undo: async (change) => {
    for (const { instance } of await ofRequestedRoute(change)) {
      const own = (await servedRows(change.deps.store.db, { instanceId: instance.id })).find(
        ({ route }) => route.web_root === null,
      )
      if (own) await onEach(change, [own], (session) => writeApplicationUrl(change.deps, session, own))
    }
  },
}

const ofRequestedRoute = async (change: PoolChange): Promise<readonly ServedRoute[]> =>
  (await joining(change)).filter(({ route }) => route.id === change.routeId)

/** Each Router reaches each added Instance before it leads anybody there. */
const paths: Step<PoolChange> = {
  name: 'router-paths',
  run: async (change) => {
    const { deps, call } = change
    const inPublic = await publicRoutes(deps.store.db)
    for (const route of await routesOf(change, receivingIds(change))) {
      const ingress = inPublic.find((one) => one.route.id === route.id)?.edge.ingress
      const served = (await joining(change)).filter((one) => one.route.id === route.id)
      const taken = (await servedRows(deps.store.db, { routeId: route.id })).filter(isMember)
      for (const router of served.length === 0 ? [] : await routersFor(deps, route)) {
        const from = { lanIp: router.lan_ip }
        const addresses = served.flatMap(({ instance }) => {
          // Its site is not rendered yet: behind a Router of its own Node, in the place of another target, or at the ingress.
          const isHidden =
            [router.id, ingress?.nodeId].includes(instance.node_id) ||
            taken.some((one) => one.instance.node_id === instance.node_id)
          const address = addressFrom(from, { wireguardIp: instance.node_address, lanIp: instance.node_lan })
          return isHidden || address === null ? [] : [address]
        })
        const session = deps.nodes.sessions.overTunnel(call, router)
        if (addresses.length > 0) await deps.paths.verify(session, { domain: route.domain, addresses })
      }
    }
  },
}

/** Visitors notice none of it, and all of it can be undone (RTE-112). */
export const beforeCommit: readonly Step<PoolChange>[] = [
  reserve,
  source,
  certificate,
  site,
  routerCertificate,
  url,
  paths,
]
