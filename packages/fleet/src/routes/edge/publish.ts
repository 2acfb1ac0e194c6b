import type { Step } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { edgeOf } from '#/routes/edge/queries.ts'
import {
  addressFrom,
  type ClusterEdge,
  type EdgeStep,
  isProduction,
  maySwitchOn,
  type ServingEdge,
} from '#/routes/edge/rules.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { routesByIds, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { isLeaving, type ServedRoute } from '#/routes/served.ts'

export type EdgeDeps = Pick<RoutesDeps, 'store' | 'nodes' | 'webServer' | 'firewall' | 'paths'>

/** Routes whose public side is changed, as the records have them when a step runs. */
export interface EdgeChange {
  readonly deps: EdgeDeps
  readonly call: Call
  readonly routes: () => Promise<readonly RouteRow[]>
  /** Of a removal with `offline`: the Routers are left or withdrawn after it. */
  readonly skipsSilentRouters?: true
}

/** The Routes with these ids. */
export const edgeChangeOf = (deps: EdgeDeps, call: Call, ids: readonly number[]): EdgeChange => ({
  deps,
  call,
  routes: () => routesByIds(deps.store.db, ids),
})

interface Ready {
  readonly route: RouteRow
  readonly edge: ServingEdge
  readonly targets: readonly ServedRoute[]
}

/**
 * The steps that open Routes to the public, in their order (RTX-053). Where a condition is missing each is skipped: the Route stays
 * as it is and waits (RTX-051). Nobody waits for the public certificate.
 */
export const publishingSteps = <C>(changeOf: (context: C) => EdgeChange): ReadonlyArray<Step<C>> =>
  PUBLISHING.map(({ name, run }) => ({
    name,
    run: async (context) => {
      const change = changeOf(context)
      const ready = await readyOf(change)
      if (ready.length === 0) return 'skipped'
      return run(change, ready)
    },
  }))

interface EdgePart {
  readonly name: string
  readonly run: (change: EdgeChange, ready: readonly Ready[]) => Promise<void>
}

const PUBLISHING: readonly EdgePart[] = [
  {
    name: 'private-paths',
    run: async (change, ready) => {
      for (const one of ready) await verifyPaths(change, one)
    },
  },
  { name: 'public-activated', run: (change, ready) => store(change, ready, 'public-activated') },
  {
    name: 'public-site',
    run: async (change, ready) => {
      // A Router accepts the public certificate of an Instance before that is presented (RTX-057).
      await onNodes(change, ready.flatMap(routersBefore), buildSites)
      await onNodes(change, ready.flatMap(ingressOf), buildSites)
    },
  },
  { name: 'public-firewall', run: (change, ready) => onNodes(change, ready.flatMap(ingressOf), setPorts) },
  { name: 'ingress-firewall', run: (change, ready) => store(change, ready, 'ingress-firewall') },
]

async function readyOf({ deps, routes }: EdgeChange): Promise<readonly Ready[]> {
  const { db } = deps.store
  const found: Ready[] = []
  for (const route of await routes()) {
    if (route.publication !== 'public' || route.has_site !== 1 || isLeaving(route)) continue
    const edge = await edgeOf(db, route.cluster_id)
    const targets = await servedRows(db, { routeId: route.id })
    if (maySwitchOn(edge) && targets.every(({ instance }) => isProduction(instance)))
      found.push({ route, edge, targets })
  }
  return found
}

/** Each hop as the sites lead: an Instance of the ingress is reached by none (RTX-057). */
async function verifyPaths({ deps, call }: EdgeChange, { route, edge, targets }: Ready): Promise<void> {
  const { router, ingress } = edge
  const { domain } = route
  const remote = targets.filter(({ instance }) => instance.node_id !== router.nodeId)
  const behind = remote.filter(({ instance }) => instance.node_id !== ingress.nodeId)
  const addresses = behind.flatMap(({ instance }) => {
    const address = addressFrom(router, { wireguardIp: instance.node_address, lanIp: instance.node_lan })
    return address === null ? [] : [address]
  })
  await deps.paths.verify(await sessionOn(deps, call, router.nodeId), { domain, addresses })
  const isServedHere = targets.some(({ instance }) => instance.node_id === ingress.nodeId)
  const next = addressFrom(ingress, router)
  if (router.nodeId === ingress.nodeId || isServedHere || next === null) return
  await deps.paths.verify(await sessionOn(deps, call, ingress.nodeId), { domain, addresses: [next] })
}

async function store(
  { deps }: EdgeChange,
  ready: ReadonlyArray<Pick<Ready, 'route'>>,
  edge_step: EdgeStep | null,
): Promise<void> {
  for (const { route } of ready) await updateRoute(deps.store.db, route.id, { edge_step })
}

type OnNode = (deps: EdgeDeps, session: NodeSession) => Promise<unknown>

const buildSites: OnNode = ({ webServer }, session) => webServer.build(session, 'app-dev')
const setPorts: OnNode = ({ firewall }, session) => firewall.applyRole(session, 'ingress')

interface Concerned {
  readonly edge: ClusterEdge | undefined
  readonly targets: readonly ServedRoute[]
}

const ingressOf = ({ edge }: Concerned): readonly number[] => (edge?.ingress ? [edge.ingress.nodeId] : [])

/** The Router of an ingress that runs an Instance itself. */
function routersBefore({ edge, targets }: Concerned): readonly number[] {
  if (!edge?.router || !edge.ingress || edge.router.nodeId === edge.ingress.nodeId) return []
  const { nodeId } = edge.ingress
  return targets.some(({ instance }) => instance.node_id === nodeId) ? [edge.router.nodeId] : []
}

/** Once for each Node, however many of the Routes it serves. */
async function onNodes({ deps, call }: EdgeChange, nodeIds: readonly number[], work: OnNode): Promise<void> {
  for (const nodeId of new Set(nodeIds)) await work(deps, await sessionOn(deps, call, nodeId))
}

async function sessionOn({ nodes }: EdgeDeps, call: Call, nodeId: number): Promise<NodeSession> {
  const node = await nodes.find(nodeId)
  if (!node) throw new Error(`the Node ${nodeId} of a public Route is gone`)
  return nodes.sessions.overTunnel(call, node)
}

/** From the public site to nothing: site and ports of what was open or on its way there. May be repeated. */
export async function closeToPublic(change: EdgeChange): Promise<void> {
  const { db } = change.deps.store
  const open = (await change.routes()).filter(({ edge_step }) => edge_step !== null)
  const concerned: Array<Concerned & { readonly route: RouteRow }> = []
  for (const route of open) {
    const targets = await servedRows(db, { routeId: route.id })
    concerned.push({ route, targets, edge: await edgeOf(db, route.cluster_id) })
  }
  await store(change, concerned, 'public-withdrawn')
  await onNodes(change, concerned.flatMap(ingressOf), async (deps, session) => {
    await buildSites(deps, session)
    await setPorts(deps, session)
  })
  await onNodes(change, concerned.flatMap(routersBefore), async (deps, session) => {
    if (change.skipsSilentRouters && !(await deps.nodes.answers(change.call, session.node))) return
    await buildSites(deps, session)
  })
  await store(change, concerned, null)
}
