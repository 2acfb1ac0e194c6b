import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { blockerOf, type DomainChange, type ScopeChange } from '#/clusters/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { concernedRoutes } from '#/routes/concerned.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { followLan, followRemoval } from '#/routes/routers/follow.ts'
import { replaceDomains } from '#/routes/replace-domains.ts'

type TldNode = Pick<NodeRecord, 'id' | 'cluster_id' | 'tld'>

/** What enrolment needs from Routes when a Node gets another top-level domain, or none (RTX-039). */
export interface NodeRoutes {
  /** Changes nothing. Throws `route.tld_required`, `route.reconciliation_required` and the refusals of the next domains (RTX-040). */
  requireTld(before: TldNode, after: TldNode): Promise<void>
  /** Whether a generated Route is not below the top-level domain that the Node has: a request that gave it may have died. */
  isBehind(node: TldNode): Promise<boolean>
  /** Replaces the generated Routes of the Node by others below its next top-level domain. May be repeated. */
  followTld(call: Call, before: TldNode, after: TldNode): Promise<void>
  /** Every Node that the LAN address of this one concerns serves as the records are, if it answers. May be repeated. */
  followLan(call: Call, node: Pick<NodeRecord, 'id'>): Promise<void>
  /** Stored with the removal of the Node. */
  followRemoval(db: Database, node: Pick<NodeRecord, 'id' | 'cluster_id'>): Promise<void>
}

export const makeNodeRoutes = (deps: RoutesDeps): NodeRoutes => ({
  requireTld: async (before, after) => void (await renamesOf(deps, before, after)),
  isBehind: async (node) => {
    const after = await deps.clusters.scopeOf(node)
    if (after.tld === null || after.tld !== node.tld) return false
    const moves = [{ nodeId: node.id, before: { ...after, tld: null }, after }]
    const routes = await concernedRoutes(deps, { clusterId: node.cluster_id ?? 0, moves })
    return routes.some(({ nextDomain }) => nextDomain !== undefined)
  },
  followTld: async (call, before, after) => {
    const renames = await renamesOf(deps, before, after)
    if (renames.length > 0) await replaceDomains(deps, call, renames)
  },
  followLan: (call, node) => followLan(deps, call, node),
  followRemoval: (db, node) => followRemoval(deps, db, node),
})

/** Where an active Cluster has a top-level domain of its own, that of the Node is not used. */
async function renamesOf(
  deps: RoutesDeps,
  before: TldNode,
  after: TldNode,
): Promise<readonly DomainChange[]> {
  // It may have joined a Cluster, or left it, since the request read its record.
  const { cluster_id } = (await deps.nodes.find(before.id)) ?? before
  const scopes = {
    before: await deps.clusters.scopeOf({ ...before, cluster_id }),
    after: await deps.clusters.scopeOf({ ...after, cluster_id }),
  }
  if (scopes.before.tld === scopes.after.tld) return []
  const change: ScopeChange = { clusterId: cluster_id ?? 0, moves: [{ nodeId: before.id, ...scopes }] }
  const routes = await concernedRoutes(deps, change)
  const blocker = blockerOf(routes, change, true)
  if (blocker) throw fail(blocker.code, { details: { route: blocker.route } })
  return routes.flatMap(({ id: routeId, nextDomain: domain }) =>
    domain === undefined ? [] : [{ routeId, domain, scope: { nodeId: before.id, ...scopes.after } }],
  )
}
