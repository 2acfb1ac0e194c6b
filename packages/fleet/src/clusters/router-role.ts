import { type Clock, CodedError } from '@fleet/kernel'
import type { HeldLock, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { ClusterRecord, MemberRecord } from '#/clusters/api.ts'
import { requireHeld } from '#/clusters/locks.ts'
import type { ClusterRoutes, RouterServices } from '#/clusters/ports.ts'
import { deleteRouterRole, putRouterRole } from '#/clusters/queries.ts'
import { tellUpdated } from '#/clusters/tell.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface RouterParts {
  readonly store: Store
  readonly clock: Clock
  readonly services: RouterServices
  readonly routes: ClusterRoutes
  readonly nodes: Pick<Nodes, 'find'>
}

/** One operation on the Router of a Cluster that it holds. */
export interface RouterWork {
  readonly call: Call
  readonly lock: HeldLock
  readonly cluster: ClusterRecord
}

/**
 * Makes the candidate the Router. The one before it serves until here and is left as `removing` (CLU-022). A failure
 * stands on the role of the candidate as `converge:<step>` (CLU-027).
 */
export async function promote(parts: RouterParts, work: RouterWork, candidate: MemberRecord): Promise<void> {
  const { store, services } = parts
  const { call, cluster, lock } = work
  await services.requireCapable(call, candidate)
  const created_at = parts.clock.now().toISOString()
  requireHeld(lock)
  await putRouterRole(store.db, candidate.id, { status: 'provisioning', created_at })
  await recordingFailure(parts, candidate, 'converge', () => services.converge(call, cluster.id, candidate))
  requireHeld(lock)
  const earlier = cluster.members.filter(({ routerStatus }) => routerStatus === 'active')
  await store.transaction(async (db) => {
    for (const { id } of earlier) await putRouterRole(db, id, { status: 'removing', created_at })
    await putRouterRole(db, candidate.id, { status: 'active', created_at })
  })
  await tellUpdated(
    parts.nodes,
    call,
    [...earlier, candidate].map(({ id }) => id),
  )
}

/**
 * Withdraws Routers and candidates of the Cluster, then their roles; before it the names stop leading there. A failure stands on the role as `remove:<step>`;
 * the same request goes on there.
 */
export async function withdraw(
  parts: RouterParts,
  work: RouterWork,
  nodes: readonly MemberRecord[],
): Promise<void> {
  const { store, services } = parts
  const { call, cluster, lock } = work
  const created_at = parts.clock.now().toISOString()
  for (const node of nodes) {
    await services.requireCapable(call, node)
    requireHeld(lock)
    await putRouterRole(store.db, node.id, { status: 'removing', created_at })
    await recordingFailure(parts, node, 'remove', async () => {
      await parts.routes.settle(call)
      await services.withdraw(call, cluster.id, node)
    })
    requireHeld(lock)
    await deleteRouterRole(store.db, node.id)
    await tellUpdated(parts.nodes, call, [node.id])
  }
}

async function recordingFailure(
  { store, clock }: RouterParts,
  node: MemberRecord,
  phase: 'converge' | 'remove',
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    await putRouterRole(store.db, node.id, {
      status: 'failed',
      failed_step: `${phase}:${stepOf(error)}`,
      error_code: error instanceof CodedError ? error.code : 'http.500',
      created_at: clock.now().toISOString(),
    })
    throw error
  }
}

function stepOf(error: unknown): string {
  const step = error instanceof CodedError ? error.details?.['step'] : undefined
  return typeof step === 'string' ? step : 'services'
}
