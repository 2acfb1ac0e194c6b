import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { publicationLackOf } from '#/routes/edge/lacks.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { recordedSetOf } from '#/routes/pools/queries.ts'
import { presentRoute, presentSet } from '#/routes/present.ts'
import { findRoute } from '#/routes/queries.ts'

export const makeShow =
  ({ store }: Pick<RoutesDeps, 'store'>): Handler<'route:show'> =>
  async ({ input, found }) => {
    const route = found?.route ?? (await findRoute(store.db, input.route))
    if (!route) throw fail('route.not_found')
    // Sets are of Routes of Clusters.
    const set = route.cluster_id === null ? undefined : await recordedSetOf(store.db, route.id)
    const lack = await publicationLackOf(store.db, route)
    return {
      data: {
        ...presentRoute(route),
        ...(set && { target_set: presentSet(set) }),
        ...(lack && { publication_lacks: lack }),
      },
    }
  }
