import { homePaths, type InstanceRecord } from '#/instances/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { rootsOf, type ServedRoute, webRootOf } from '#/routes/served.ts'

type Deps = Pick<RoutesDeps, 'store' | 'sourceAccess'>

/**
 * The web server reads the web roots of a release that Routes serve, and nothing else of it: given before the release is
 * selected, so no visitor meets one that cannot be read. Throws `app-prod.web_root_invalid` (RTE-136).
 */
export async function openRelease(
  { store, sourceAccess }: Deps,
  session: NodeSession,
  { id, release }: { readonly id: number; readonly release: string },
): Promise<readonly string[]> {
  const routes = await servedRows(store.db, { instanceId: id, isMoving: true })
  const [first] = routes
  if (!first || !isProductionRow(first.instance)) return []
  const { production_user: user, production_home: home } = first.instance
  return serveRelease({ sourceAccess }, session, { release, user, home }, routes)
}

type Kept = Pick<InstanceRecord, 'id' | 'selected_release' | 'production_user' | 'production_home'>

/** The content of an Instance that is removed stays, and nothing of it is read where no Route leads to it any more (SRC-001, INS-118). */
export async function closeRelease(
  { store, sourceAccess }: Deps,
  session: NodeSession,
  { id, selected_release: release, production_user: user, production_home: home }: Kept,
): Promise<void> {
  if (release === null || user === null || home === null) return
  const routes = await servedRows(store.db, { instanceId: id, isMoving: true })
  await serveRelease({ sourceAccess }, session, { release, user, home }, routes)
}

export interface ReleasePlace {
  readonly release: string
  readonly user: string
  readonly home: string
}

/** Lets the web server read what these Routes serve of a release; without them nothing, of earlier releases neither. Answers warnings. */
export async function serveRelease(
  { sourceAccess }: Pick<Deps, 'sourceAccess'>,
  session: NodeSession,
  { release, user, home }: ReleasePlace,
  routes: readonly ServedRoute[],
): Promise<readonly string[]> {
  const webRoots = rootsIn(routes)
  const { releases, release: pathOf } = homePaths(home)
  // Those that were served before keep what was given for requests that they still answer.
  const checkoutPath = webRoots.length === 0 ? releases : pathOf(release)
  return (await sourceAccess.open(session.as(user), { checkoutPath, webRoots, home })).warnings
}

/** Web roots that are served, each once. */
const rootsIn = (routes: readonly ServedRoute[]): readonly string[] => {
  const served = routes.filter(({ route, phase }) => route.has_source === 1 && phase !== 'leaving')
  return [...new Set(served.flatMap(rootsOf).map(webRootOf))].toSorted()
}
