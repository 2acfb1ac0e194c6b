import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute } from '#/routes/queries.ts'

export const makeShow =
  ({ store }: Pick<RoutesDeps, 'store'>): Handler<'route:show'> =>
  async ({ input, found }) => {
    const route = found?.route ?? (await findRoute(store.db, input.route))
    if (!route) throw fail('route.not_found')
    return { data: presentRoute(route) }
  }
