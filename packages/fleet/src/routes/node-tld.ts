import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { blockerOf, type DomainChange, type NodeMove, type ScopeChange } from '#/clusters/api.ts'
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
  /**
   * Replaces the generated Routes of the Node by others below its next top-level domain. May be repeated: where the Node has that
   * already, it is whatever Routes are not below it.
   */
  followTld(call: Call, before: TldNode, after: TldNode): Promise<void>
  /** Every Node that the LAN address of this one concerns serves as the records are, if it answers. May be repeated. */
  followLan(call: Call, node: Pick<NodeRecord, 'id'>): Promise<void>
  /** Stored with the removal of the Node. */
  followRemoval(db: Database, node: Pick<NodeRecord, 'id' | 'cluster_id'>): Promise<void>
}

export const makeNodeRoutes = (deps: RoutesDeps): NodeRoutes => ({
  requireTld: async (before, after) => void (await renamesOf(deps, before, after)),
  isBehind: async (node) => {
    const change = await scopeChangeOf(deps, withoutTld(node), node)
    const routes = change ? await concernedRoutes(deps, change) : []
    return routes.some(({ nextDomain }) => nextDomain !== undefined)
  },
  followTld: async (call, before, after) => {
    const renames = await renamesOf(deps, before.tld === after.tld ? withoutTld(before) : before, after)
    if (renames.length > 0) await replaceDomains(deps, call, renames)
  },
  followLan: (call, node) => followLan(deps, call, node),
  followRemoval: (db, node) => followRemoval(deps, db, node),
})

/** What a request that died has left of it may be below any other one, or none. */
const withoutTld = (node: TldNode): TldNode => ({ ...node, tld: null })

type NodeChange = ScopeChange & { readonly moves: readonly [NodeMove] }

/** Undefined where an active Cluster has a top-level domain of its own: that of the Node is not used. */
async function scopeChangeOf(
  deps: RoutesDeps,
  before: TldNode,
  after: TldNode,
): Promise<NodeChange | undefined> {
  // It may have joined a Cluster, or left it, since the request read its record.
  const { cluster_id } = (await deps.nodes.find(before.id)) ?? before
  const scopes = {
    before: await deps.clusters.scopeOf({ ...before, cluster_id }),
    after: await deps.clusters.scopeOf({ ...after, cluster_id }),
  }
  if (scopes.before.tld === scopes.after.tld) return undefined
  return { clusterId: cluster_id ?? 0, moves: [{ nodeId: before.id, ...scopes }] }
}

async function renamesOf(
  deps: RoutesDeps,
  before: TldNode,
  after: TldNode,
): Promise<readonly DomainChange[]> {
  const change = await scopeChangeOf(deps, before, after)
  if (!change) return []
  const routes = await concernedRoutes(deps, change)
  const blocker = blockerOf(routes, change, true)
  if (blocker) throw fail(blocker.code, { details: { route: blocker.route } })
  const [move] = change.moves
  const scope = { nodeId: move.nodeId, ...move.after }
  return routes.flatMap(({ id: routeId, nextDomain: domain }) =>
    domain === undefined ? [] : [{ routeId, domain, scope }],
  )
}
