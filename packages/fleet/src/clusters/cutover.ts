import { fail } from '@fleet/contract'
import type { Database, Store } from '@fleet/store'
import { type StepFailure, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { holdScopes, requireScopes } from '#/clusters/held-scopes.ts'
import type { ClusterRoutes, DomainChange, MovingRoute, ScopeChange } from '#/clusters/ports.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import { hasActiveRouter, blockerOf, reversed, scopeChange, touchedBy } from '#/clusters/rules.ts'
import { performSteps } from '#/perform-steps.ts'

export interface Cutover {
  readonly before: ClusterRecord
  readonly after: ClusterRecord
  /** Stores the change. */
  readonly write: (db: Database) => Promise<void>
  /** Stores what was there before; a write whose answer was lost may have been stored. */
  readonly restore: (db: Database) => Promise<void>
}

/** A change of a Cluster that moves Routes. */
export interface RouteMoves extends Cutover {
  readonly store: Pick<Store, 'db' | 'transaction'>
  readonly routes: ClusterRoutes
  readonly scopes: { readonly hold: typeof holdScopes; readonly require: typeof requireScopes }
  /** Routes that the change moves; with another domain each is another Route. */
  routeIds: readonly number[]
  /** Domains that the change gives to Routes, and those that they have now. */
  readonly renames: readonly Rename[]
  readonly call: Call
  readonly change: ScopeChange
  isPublished: boolean
  isStored: boolean
}

interface Rename extends DomainChange {
  readonly domainBefore: string
}

/**
 * Routes get their domains in the scope that they have, then all of them are published before the records change, and once more after it
 * (CLU-016, CLU-020).
 */
export const clusterCutover = stepList<RouteMoves>('cluster-cutover', [
  {
    name: 'domains',
    run: (moves) => replace(moves, moves.renames),
    undo: (moves) => restoreDomains(moves),
  },
  {
    name: 'routes',
    run: async (moves) => {
      await moves.routes.publish(moves.call, moves.change, moves.after)
      moves.isPublished = true
    },
    undo: async ({ routes, call, change, before, isPublished }) => {
      // A publication that failed has left the earlier answers in place.
      if (isPublished) await routes.publish(call, reversed(change), before)
    },
  },
  {
    name: 'record',
    commits: true,
    run: async (moves) => {
      const { store, routes, change, routeIds } = moves
      const nodeIds = change.moves.map(({ nodeId }) => nodeId)
      await store.transaction(async (db) => {
        // Nodes before their Cluster, which is written first.
        await moves.scopes.hold(db, nodeIds)
        await moves.write(db)
        await requireSame(moves, db)
        await routes.store(db, change, routeIds)
      })
      moves.isStored = true
    },
    undo: ({ store, routes, change, routeIds, restore }) =>
      store.transaction(async (db) => {
        await restore(db)
        await routes.restore(db, reversed(change), routeIds)
      }),
  },
  { name: 'private-dns', isOptional: true, run: ({ routes, call }) => routes.settle(call) },
])

/**
 * Throws what keeps a Route where it is, before anything is done for the change: what is prepared for it takes time, so the change asks
 * once more.
 */
export async function requireFollowingRoutes(
  routes: Pick<ClusterRoutes, 'concerned'>,
  cutover: Pick<Cutover, 'before' | 'after'>,
): Promise<void> {
  const change = scopeChange(cutover.before, cutover.after)
  if (change.moves.length > 0) requireMovable(await routes.concerned(change), change, cutover)
}

/**
 * Publishes what the change does to Routes, then stores it; a change that moves none is only stored (CLU-016 to CLU-018).
 * Throws `cluster.router_required`, `route.tld_required` and `route.reconciliation_required` before anything is done.
 */
export async function cutOver(
  { store, routes }: Pick<RouteMoves, 'store' | 'routes'>,
  call: Call,
  cutover: Cutover,
): Promise<void> {
  const change = scopeChange(cutover.before, cutover.after)
  if (change.moves.length === 0) return cutover.write(store.db)
  const concerned = await routes.concerned(change)
  requireMovable(concerned, change, cutover)
  const routeIds = touchedBy(concerned, change)
  const renames = concerned.flatMap(({ id: routeId, domain: domainBefore, nextDomain: domain }) =>
    domain !== undefined && routeIds.includes(routeId) ? [{ routeId, domain, domainBefore }] : [],
  )
  const state = { isPublished: false, isStored: false, renames }
  const scopes = { hold: holdScopes, require: requireScopes }
  const moves: RouteMoves = { ...cutover, store, routes, scopes, call, change, routeIds, ...state }
  await routes.withdrawing(change.clusterId, async () => {
    await performSteps(clusterCutover, moves, {
      call,
      // What the request is about is decided by then: the last publication does not decide over its answer.
      kindOf: () => (moves.isStored ? 'ordinary' : undefined),
      withCall: (given, undoing) => ({ ...given, call: undoing }),
      errorOf: (failure) => cutoverError(moves, failure),
    })
  })
  await routes.moved(call, moves.routeIds)
}

/** Throws what keeps a Route where it is. */
function requireMovable(
  concerned: readonly MovingRoute[],
  change: ScopeChange,
  { after }: Pick<Cutover, 'after'>,
): void {
  const blocker = blockerOf(concerned, change, hasActiveRouter(after))
  if (!blocker) return
  const { code, route } = blocker
  const isPublic = concerned.some(({ id, isServedInPublic }) => id === route.id && isServedInPublic)
  throw fail(code, {
    ...(code === 'route.reconciliation_required' && isPublic
      ? {
          message: `The Route ${route.domain} is public, and only a private one gets another Cluster or generated domain. Make it private first: \`fleet route:update ${route.domain} --publication private\`.`,
        }
      : {}),
    details: { route },
  })
}

/**
 * What was asked before the first Route moved, of the records as they are now: a Route may have been created, withdrawn, opened to the
 * public or led elsewhere meanwhile, and a Node may have got another top-level domain.
 */
async function requireSame(
  { routes, scopes, change, routeIds, after }: RouteMoves,
  db: Database,
): Promise<void> {
  await scopes.require(
    db,
    change.moves.map(({ nodeId, after: scope }) => ({ nodeId, ...scope })),
  )
  const concerned = await routes.concerned(change, db)
  requireMovable(concerned, change, { after })
  const touched = touchedBy(concerned, change)
  const other = concerned.find(({ id }) => touched.includes(id) && !routeIds.includes(id))
  if (other)
    throw fail('route.reconciliation_required', {
      details: { route: { id: other.id, domain: other.domain } },
    })
}

/** Each domain is another Route, with an id of its own. */
async function replace(moves: RouteMoves, changes: readonly DomainChange[]): Promise<void> {
  if (changes.length === 0) return
  const ids = await moves.routes.replace(moves.call, changes)
  const replaced = new Map(changes.map(({ routeId }, at) => [routeId, ids[at] ?? routeId]))
  moves.routeIds = moves.routeIds.map((id) => replaced.get(id) ?? id)
}

/** A replacement that has been cut over but not ended only goes forward: the identical request finishes it and the change. */
async function restoreDomains(moves: RouteMoves): Promise<void> {
  const { routes, change, renames } = moves
  if (renames.length === 0) return
  const now = await routes.concerned(change)
  const back = renames.flatMap(({ domain, domainBefore }) => {
    const route = now.find((one) => one.domain === domain && one.isMovable)
    return route ? [{ routeId: route.id, domain: domainBefore }] : []
  })
  await replace(moves, back)
}

/** The caller hears why the change failed, which came first. */
function cutoverError({ call, change }: RouteMoves, { cause, undoFailure }: StepFailure): unknown {
  if (undoFailure)
    call.log('the earlier answers of a Cluster were not published again', { cluster: change.clusterId })
  return cause
}
