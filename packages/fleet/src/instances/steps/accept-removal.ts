import type { RemovalProgress } from '@fleet/contract'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { requireNotCloned } from '#/instances/production/candidate.ts'
import { isUnfinishedRegistration } from '#/instances/rules.ts'
import { runRemoval } from './removal.ts'

/** Whether and how a removal may begin: the digest of the heads found safe, if an inspection was needed. */
export interface Acceptance {
  readonly force: boolean
  readonly safeHeads?: string | undefined
  readonly silent?: NodeRecord[] | undefined
}

/** Records the removal, after which only the removal may continue, and runs it. The caller holds the operation lock. */
export async function acceptAndRun(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
  { force, safeHeads, silent }: Acceptance,
): Promise<RemovalProgress> {
  const { queries, ids, clock } = deps
  // Again: a clone may have begun while the teardown ran. It begins under the same lock.
  await requireNotCloned(deps, row)
  const operationId = ids.uuid()
  const accepted = await queries.update(row.id, {
    status: 'removing',
    ...(isUnfinishedRegistration(row) ? { profile: null } : {}),
    removal_operation_id: operationId,
    removal_force: force ? 1 : 0,
    removal_status: 'removing',
    removal_step: 'source_preparation',
    removal_completed: 0,
    removal_error_code: null,
    removal_started_at: clock.now().toISOString(),
  })
  return runRemoval({ ...deps, checkout, row: accepted, operationId, force, safeHeads, silent })
}
