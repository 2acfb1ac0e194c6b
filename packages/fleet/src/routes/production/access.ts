import { posix } from 'node:path'
import type { NodeSession } from '#/nodes/api.ts'
import { isProductionRow } from '#/routes/production/place.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { rootsOf, webRootOf } from '#/routes/served.ts'

type Parts = Pick<RoutesParts, 'store' | 'sourceAccess'>

/**
 * The web server reads the web roots of a release that Routes serve, and nothing else of it: given before the release is
 * selected, so no visitor meets one that cannot be read. Throws `app-prod.web_root_invalid` (RTE-136).
 */
export async function openRelease(
  { store, sourceAccess }: Parts,
  session: NodeSession,
  { id, release }: { readonly id: number; readonly release: string },
): Promise<readonly string[]> {
  const routes = await servedRows(store.db, { instanceId: id, isMoving: true })
  const [first] = routes
  if (!first || !isProductionRow(first.instance)) return []
  const served = routes.filter(({ route, phase }) => route.has_source === 1 && phase !== 'leaving')
  const { production_user: user, production_home: home } = first.instance
  const { warnings } = await sourceAccess.open(session.as(user), {
    checkoutPath: posix.join(home, 'releases', release),
    webRoots: [...new Set(served.flatMap(rootsOf).map(webRootOf))].toSorted(),
    home,
  })
  return warnings
}
