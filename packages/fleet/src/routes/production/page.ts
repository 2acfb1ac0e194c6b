import { posix } from 'node:path'
import type { NodeSession } from '#/nodes/api.ts'
import type { PageAnswer, ProductionPhpServices } from '#/php/api.ts'
import { isProductionRow, socketFor } from '#/routes/production/place.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { directoryOf, webRootOf } from '#/routes/served.ts'

interface Deps extends Pick<RoutesDeps, 'store'> {
  readonly php: Pick<ProductionPhpServices, 'askPage'>
}

/** A page of a release of a production Instance. */
interface ReleasePage {
  readonly id: number
  readonly release: string
  readonly path: string
}

/**
 * Asks the PHP of a production Instance for a page of a release, as the web server will once the release is selected. Undefined
 * without a Route that PHP serves.
 */
export async function askRelease(
  { store, php }: Deps,
  session: NodeSession,
  { id, release, path }: ReleasePage,
): Promise<PageAnswer | undefined> {
  const served = await servedRows(store.db, { instanceId: id, isMoving: true })
  for (const row of served) {
    const { route, instance, phase } = row
    if (route.has_source !== 1 || phase === 'leaving' || !isProductionRow(instance)) continue
    const socket = socketFor(instance, directoryOf(row), undefined)
    const version = instance.profile?.php_version
    if (socket === undefined || version === undefined) continue
    const { production_user: user, production_home: home } = instance
    const webRoot = posix.join(home, 'releases', release, webRootOf(row))
    return php.askPage(session.as(user), { version, socket, webRoot, path, domain: route.domain })
  }
  return undefined
}
