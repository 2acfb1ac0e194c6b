import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { PlannedScope } from '#/clusters/api.ts'
import { holding, holdingAll, lockOf } from '#/locks/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { generatedDomainsAfter } from '#/routes/generated.ts'
import { isCandidate, isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { nodeScopeOrRefuse, requireWebRoot, tldOrRefuse } from '#/routes/plan.ts'
import { routesByIds } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { replacementRows } from '#/routes/steps/replacement/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { replacementFrom, replaceRoutes } from '#/routes/replace.ts'
import type { ServedRoute } from '#/routes/served.ts'
import { publishRoute } from '#/routes/steps/publication.ts'
import { performPreparation, performWithdrawal } from '#/routes/steps/replacement/preparation.ts'
import type { RouteChange } from '#/routes/steps/replacement/replacement.ts'

/** A generated Route that gets another domain with the slug of its Project. */
export interface SlugChange extends RouteChange {
  readonly instanceId: number
  /** Its domain now. */
  readonly from: string
}

/** What a change of a Project asks of the Routes of its development Instances, whose operation locks are held. */
export interface ProjectRoutes {
  /**
   * The Routes whose domain follows the slug, with those that an earlier call began to replace and has not finished; explicit ones
   * stay (RTE-040, RTE-041). Changes nothing. Throws `route.domain_conflict`, `route.domain_invalid`, `route.tld_required`,
   * `route.reconciliation_required`, `route.node_inactive` and `route.router_required`.
   */
  plan(projectId: number, slug: string): Promise<readonly SlugChange[]>
  /** Serves the next domains beside those of now. A failure leaves those of now alone. May be repeated. */
  prepare(call: Call, changes: readonly SlugChange[]): Promise<void>
  /** Withdraws what `prepare` served. May be repeated. */
  withdraw(call: Call, projectId: number): Promise<void>
  /** Replaces the Routes, prepared or not, and waits once for all. May be repeated; goes only forward. */
  replace(call: Call, changes: readonly SlugChange[]): Promise<void>
  /**
   * Whether the Routes of an Instance could serve another web root. Throws `route.target_web_root_unsupported` where one would serve
   * the repository itself; with a session also `app-dev.source_access_failed` where the checkout has no such directory.
   */
  requireRoot(instanceId: number, root: string, session: NodeSession | undefined): Promise<void>
  /** Serves the Routes of an Instance from the web root that it has now. May be repeated. */
  publishAnew(session: NodeSession, instanceId: number): Promise<void>
}

export const makeProjectRoutes = (deps: RoutesDeps): ProjectRoutes => ({
  plan: (projectId, slug) => planSlug(deps, projectId, slug),
  prepare: async (call, changes) => {
    if (changes.length > 0)
      await underLocks(deps, call, changes, async () =>
        performPreparation(await replacementFrom(deps, call, changes)),
      )
  },
  withdraw: async (call, projectId) => {
    const changes = (await generatedOf(deps, projectId)).flatMap(({ route }) => candidateOf(route))
    if (changes.length > 0)
      await underLocks(deps, call, changes, async () =>
        performWithdrawal(await replacementFrom(deps, call, changes)),
      )
  },
  replace: (call, changes) => underLocks(deps, call, changes, () => replace(deps, call, changes)),
  requireRoot: async (instanceId, root, session) => {
    for (const { route, instance } of await servedRows(deps.store.db, { instanceId })) {
      if (route.web_root !== null) continue
      requireWebRoot(root)
      if (session && route.status === 'active')
        await deps.sourceAccess.check(session, { checkoutPath: instance.checkout_path, webRoot: root })
    }
  },
  publishAnew: async (session, instanceId) => {
    const { call } = session
    for (const { route } of await servedRows(deps.store.db, { instanceId }))
      if (route.status === 'active')
        await holding(deps.store, call, lockOf('route', route.id), () =>
          publishRoute({
            deps,
            call,
            session,
            routeId: route.id,
            isPublic: route.publication === 'public',
            namesApplication: true,
          }),
        )
  },
})

const generatedOf = async (
  { store }: Pick<RoutesDeps, 'store'>,
  projectId: number,
): Promise<readonly ServedRoute[]> => {
  const served = (await servedRows(store.db, { projectId })).filter(
    ({ route, instance }) => route.provenance === 'generated' && instance.environment === 'development',
  )
  return [...new Map(served.map((one) => [one.route.id, one])).values()]
}

const candidateOf = (route: RouteRow): readonly RouteChange[] => {
  const { replaces_route_id: routeId, domain, publication } = route
  return routeId !== null && isCandidate(route) ? [{ routeId, domain, publication }] : []
}

async function planSlug(deps: RoutesDeps, projectId: number, slug: string): Promise<readonly SlugChange[]> {
  const all = await generatedOf(deps, projectId)
  const scopes = new Map<number, ScopeWithTld>()
  for (const nodeId of new Set(all.map(({ instance }) => instance.node_id)))
    scopes.set(nodeId, await scopeOf(deps, nodeId))
  const next = await generatedDomainsAfter(
    deps,
    all.map((served) => ({ served, tld: scopes.get(served.instance.node_id)?.tld ?? '', slug })),
  )
  const ids = new Set(all.map(({ route }) => route.id))
  return all.flatMap(({ route, instance }) => {
    const wanted = next.get(route.id)
    if (!wanted || ids.has(route.replaces_route_id ?? 0)) return []
    if (wanted.domain === route.domain && !isInTransition(route)) return []
    const details = { route: { id: route.id, domain: route.domain }, domain: wanted.domain }
    const isMovable = isInTransition(route) ? wanted.isBegun : route.status === 'active'
    if (!isMovable)
      throw fail('route.reconciliation_required', { details: { ...details, status: route.status } })
    if (wanted.refusal) throw fail(wanted.refusal, { details })
    const { domain } = wanted
    return [
      {
        routeId: route.id,
        domain,
        publication: route.publication,
        instanceId: instance.id,
        from: route.domain,
        scope: scopes.get(instance.node_id),
      },
    ]
  })
}

interface ScopeWithTld extends PlannedScope {
  readonly tld: string
}

async function scopeOf(deps: RoutesDeps, nodeId: number): Promise<ScopeWithTld> {
  const node = await deps.nodes.find(nodeId)
  if (!node) throw new Error(`the Node ${nodeId} of a Route is gone`)
  const { clusterId, tld } = await nodeScopeOrRefuse(deps, node)
  return { nodeId, clusterId, tld: tldOrRefuse(tld, node) }
}

/** Those that an earlier request has cut over come first: they only go forward. */
async function replace(deps: RoutesDeps, call: Call, changes: readonly SlugChange[]): Promise<void> {
  const { db } = deps.store
  const ids = changes.map(({ routeId }) => routeId)
  const retiring = new Set(
    (await routesByIds(db, ids)).filter(({ status }) => status === 'retiring').map(({ id }) => id),
  )
  const prepared = new Set((await replacementRows(db, ids)).map(({ replaces_route_id: id }) => id))
  const those = (is: (id: number) => boolean) => changes.filter(({ routeId }) => is(routeId))
  await replaceRoutes(
    deps,
    call,
    those((id) => retiring.has(id)),
  )
  await replaceRoutes(
    deps,
    call,
    those((id) => prepared.has(id) && !retiring.has(id)),
    { isPrepared: true },
  )
  await replaceRoutes(
    deps,
    call,
    those((id) => !prepared.has(id)),
  )
}

const underLocks = <T>(
  deps: RoutesDeps,
  call: Call,
  changes: readonly RouteChange[],
  work: () => Promise<T>,
): Promise<T> =>
  holdingAll(
    deps.store,
    call,
    changes
      .map(({ routeId }) => routeId)
      .toSorted((one, other) => one - other)
      .map((id) => lockOf('route', id)),
    work,
  )
