import type { Call } from '#/call.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'
import type { Network } from '#/network/api.ts'
import { type ServingView, viewScript } from '#/routes/checks/view.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { routedOn, type RoutedRoute } from '#/routes/routers/sites.ts'
import { routeSites } from '#/routes/sites.ts'
import { type PublishedSites, publishedSites } from '#/web-server/api.ts'

/** A Router as it is now, and the Routes that it should serve. */
export interface RouterView {
  readonly router: NodeRecord
  readonly routed: ReadonlyMap<number, RoutedRoute>
  readonly view: ServingView
  /** Its sites as its web server publishes them. */
  readonly published: PublishedSites
}

export interface RouterViewDeps {
  readonly store: RoutesDeps['store']
  readonly network: Pick<Network, 'settings'>
  readonly nodes: Pick<Nodes, 'answers' | 'sessions'>
  readonly root?: string
}

/** What a Router serves; undefined while it does not answer. */
export type RouterViews = (call: Call, router: NodeRecord) => Promise<RouterView | undefined>

/** A Router is asked once in a run of Doctor, whatever the number of Nodes and Routes behind it. */
export function makeRouterViews(deps: RouterViewDeps): RouterViews {
  const runs = new WeakMap<Call, Map<number, Promise<RouterView | undefined>>>()
  return (call, router) => {
    const run = runs.get(call) ?? new Map<number, Promise<RouterView | undefined>>()
    runs.set(call, run)
    const known = run.get(router.id) ?? viewOf(deps, call, router)
    run.set(router.id, known)
    return known
  }
}

async function viewOf(
  { store, network, nodes, root = '' }: RouterViewDeps,
  call: Call,
  router: NodeRecord,
): Promise<RouterView | undefined> {
  if (!(await nodes.answers(call, router))) return undefined
  const routed = new Map((await routedOn(store, router.id)).map((route) => [route.route.id, route]))
  const leaves = [...routed.values()].map(({ placement }) => placement.leaf_scope)
  const viewed = { root, leaves, domains: [], webRoots: [], applications: [] }
  const view = await nodes.sessions.overTunnel(call, router).ask(viewScript, viewed)
  const published = publishedSites(await routeSites({ store, network }, router))
  return { router, routed, view, published }
}
