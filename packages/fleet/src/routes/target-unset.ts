import type { Handler } from '#/handler.ts'
import { isCandidate } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { giveUpFor } from '#/routes/pools/give-up.ts'
import { presentRoute } from '#/routes/present.ts'
import { deleteTargets, findRoute, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { targetConflict } from '#/routes/target-conflict.ts'
import { detachable, requireApp, requireSettledPair, withdrawTarget } from '#/routes/target.ts'
import { underLocks } from '#/routes/under-locks.ts'

/** A Route keeps its domain, scope and generation basis without a target (RTE-092, RTE-094, RTE-095, RTE-101, RTX-006, RTX-019). */
export const makeTargetUnset =
  (deps: RoutesDeps): Handler<'route:target:unset'> =>
  async ({ call, input, found }) => {
    call.note.subject('route', input.route)
    await giveUpFor(deps, call, { id: input.route, found: found?.route })
    return underLocks(deps, call, { id: input.route, found: found?.route }, async (route) => {
      requireApp(route)
      if (route.targets.length === 0) return { data: presentRoute(route) }
      requireNoCandidate(route)
      requireSettledPair(route)
      await detachable(deps, route)
      await deps.names.idle(call)
      await withdrawTarget(deps, call, route)
      await deps.store.transaction(async (tx) => {
        await deleteTargets(tx, route.id)
        await updateRoute(tx, route.id, {
          status: 'pending',
          failed_step: null,
          error_code: null,
          php_version: null,
          web_root_change: null,
        })
      })
      const data = presentRoute((await findRoute(deps.store.db, route.id)) ?? route)
      call.event('route.updated', data)
      return { data }
    })
  }

/** It leads where the Route leads that it replaces; without a target it is destroyed (RTE-095). */
function requireNoCandidate(route: RouteRecord): void {
  if (isCandidate(route))
    throw targetConflict({
      message: `This Route was to replace another one and never served. Remove it: \`fleet route:destroy ${route.id}\`.`,
      requested: route.id,
      existing: route.replaces_route_id,
      instances: route.targets.map(({ instance_id }) => instance_id),
    })
}
