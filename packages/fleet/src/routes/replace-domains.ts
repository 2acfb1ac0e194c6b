import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { DomainChange } from '#/clusters/api.ts'
import { holdingAll, lockOf } from '#/locks/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { isReplaced } from '#/routes/own.ts'
import { routesByIds } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { replaceRoutes } from '#/routes/replace.ts'
import type { RouteChange } from '#/routes/steps/replacement/replacement.ts'

/**
 * Replaces Routes under the locks of their Instances and their own, and waits once for all (RTE-040, RTX-039). Resolves to the
 * ids of the replacements, in the order of the changes.
 */
export async function replaceDomains(
  deps: RoutesDeps,
  call: Call,
  changes: readonly DomainChange[],
): Promise<readonly number[]> {
  const routeIds = changes.map(({ routeId }) => routeId).toSorted((a, b) => a - b)
  const served = await servedRows(deps.store.db, { routeIds })
  const instanceIds = [...new Set(served.map(({ instance }) => instance.id))].toSorted((a, b) => a - b)
  const locks = [
    ...instanceIds.map((id) => lockOf('instance', id, { busy: 'env.operation_busy' })),
    ...routeIds.map((id) => lockOf('route', id)),
  ]
  return holdingAll(deps.store, call, locks, async () => {
    const [finishing, beginning] = await complete(deps, changes)
    const replaced = [
      ...(await replaceRoutes(deps, call, finishing)),
      ...(await replaceRoutes(deps, call, beginning)),
    ]
    const ids = new Map(replaced.map(({ domain, id }) => [domain, id]))
    return changes.map(({ routeId, domain }) => ids.get(domain) ?? routeId)
  })
}

/**
 * Everything but the domain stays. Those that an earlier request has cut over come first: they only go forward, while a Route that
 * was created since then begins. Throws `route.reconciliation_required` for a Route that was removed meanwhile, or serves no more.
 */
async function complete(
  { store }: RoutesDeps,
  changes: readonly DomainChange[],
): Promise<readonly [finishing: readonly RouteChange[], beginning: readonly RouteChange[]]> {
  const routes = await routesByIds(
    store.db,
    changes.map(({ routeId }) => routeId),
  )
  const byId = new Map(routes.map((route) => [route.id, route]))
  const [finishing, beginning]: [RouteChange[], RouteChange[]] = [[], []]
  for (const { routeId, domain, scope } of changes) {
    const route = byId.get(routeId)
    if (!route || !(route.status === 'active' || isReplaced(route)))
      throw fail('route.reconciliation_required', { details: { route: { id: routeId } } })
    const group = isReplaced(route) ? finishing : beginning
    group.push({ routeId, domain, publication: route.publication, scope })
  }
  return [finishing, beginning]
}
