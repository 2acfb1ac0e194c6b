import { fail } from '@fleet/contract'
import type { HeldLock } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { ClusterRecord } from '#/clusters/api.ts'
import { requireHeld } from '#/clusters/locks.ts'
import type { ClusterRoutes, ScopeChange } from '#/clusters/ports.ts'
import { hasActiveRouter, hindranceOf, reversed, scopeChange } from '#/clusters/rules.ts'

export interface Cutover {
  readonly before: ClusterRecord
  readonly after: ClusterRecord
  /** Stores the change. */
  readonly write: () => Promise<void>
}

/**
 * Publishes what the change does to Routes, then stores it; a change that moves none is only stored (CLU-016 to CLU-018).
 * Throws `cluster.router_required`, `route.tld_required` and `route.reconciliation_required` before anything is done.
 */
export async function cutOver(
  routes: ClusterRoutes,
  call: Call,
  lock: HeldLock,
  { before, after, write }: Cutover,
): Promise<void> {
  const change = scopeChange(before, after)
  if (change.moves.length === 0) return write()
  const concerned = await routes.concerned(change)
  const hindrance = hindranceOf(concerned, change, hasActiveRouter(after))
  if (hindrance) throw fail(hindrance.code, { details: { route: hindrance.route } })
  await routes.publish(call, change, after)
  // Whoever took the lock over publishes what they want, so nothing is taken back here.
  requireHeld(lock)
  try {
    await write()
  } catch (error) {
    // The caller hears why the change failed, which came first.
    await orNoted(call, change, () => routes.publish(call, reversed(change), before))
    throw error
  }
  await orNoted(call, change, () => routes.settle(call))
}

/** For publications after what the request is about has been decided: they do not decide over its answer. */
async function orNoted(call: Call, { clusterId }: ScopeChange, publish: () => Promise<void>): Promise<void> {
  try {
    await publish()
  } catch {
    call.log('the answers of a Cluster could not be published once more', { cluster: clusterId })
  }
}
