import { fail } from '@fleet/contract'
import { type StepFailure, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { ClusterRoutes, ScopeChange } from '#/clusters/ports.ts'
import type { ClusterRecord } from '#/clusters/record.ts'
import { hasActiveRouter, blockerOf, reversed, scopeChange } from '#/clusters/rules.ts'
import { performSteps } from '#/perform-steps.ts'

export interface Cutover {
  readonly before: ClusterRecord
  readonly after: ClusterRecord
  /** Stores the change. */
  readonly write: () => Promise<void>
  /** Stores what was there before; a write whose answer was lost may have been stored. */
  readonly restore: () => Promise<void>
}

/** A change of a Cluster that moves Routes. */
export interface RouteMoves extends Cutover {
  readonly routes: ClusterRoutes
  readonly call: Call
  readonly change: ScopeChange
  isPublished: boolean
  isStored: boolean
}

/** Routes are published before the record changes, and once more after it (CLU-016). */
export const clusterCutover = stepList<RouteMoves>('cluster-cutover', [
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
      await moves.write()
      moves.isStored = true
    },
    undo: ({ restore }) => restore(),
  },
  { name: 'private-dns', isOptional: true, run: ({ routes, call }) => routes.settle(call) },
])

/**
 * Publishes what the change does to Routes, then stores it; a change that moves none is only stored (CLU-016 to CLU-018).
 * Throws `cluster.router_required`, `route.tld_required` and `route.reconciliation_required` before anything is done.
 */
export async function cutOver(routes: ClusterRoutes, call: Call, cutover: Cutover): Promise<void> {
  const change = scopeChange(cutover.before, cutover.after)
  if (change.moves.length === 0) return cutover.write()
  const concerned = await routes.concerned(change)
  const blocker = blockerOf(concerned, change, hasActiveRouter(cutover.after))
  if (blocker) throw fail(blocker.code, { details: { route: blocker.route } })
  const moves: RouteMoves = { ...cutover, routes, call, change, isPublished: false, isStored: false }
  await performSteps(clusterCutover, moves, {
    call,
    // What the request is about is decided by then: the last publication does not decide over its answer.
    kindOf: () => (moves.isStored ? 'ordinary' : undefined),
    withCall: (given, undoing) => ({ ...given, call: undoing }),
    errorOf: (failure) => cutoverError(moves, failure),
  })
}

/** The caller hears why the change failed, which came first. */
function cutoverError({ call, change }: RouteMoves, { cause, undoFailure }: StepFailure): unknown {
  if (undoFailure)
    call.log('the earlier answers of a Cluster were not published again', { cluster: change.clusterId })
  return cause
}
