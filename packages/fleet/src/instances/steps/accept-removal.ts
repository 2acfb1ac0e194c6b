import type { RemovalProgress } from '@fleet/contract'
import type { InstanceDeps } from '#/instances/deps.ts'
import { type InstanceRow, updateRow } from '#/instances/queries.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { requireNotCloned } from '#/instances/production/candidate.ts'
import { isUnfinishedRegistration } from '#/instances/rules.ts'
import { runRemoval } from './removal.ts'
import { afterTeardown } from './tear-down.ts'

/** Whether and how a removal may begin: the digest of the heads found safe, if an inspection was needed. */
export interface Acceptance {
  readonly force: boolean
  readonly safeHeads?: string | undefined
  readonly silent?: NodeRecord[] | undefined
  /** Ids of the Instances that the request removes; that of the row alone when absent. */
  readonly leaving?: readonly number[]
  /** The teardown list has run, if there is one. */
  readonly isTornDown?: boolean
}

/** Records the removal, after which only the removal may continue, and runs it. The caller holds the operation lock. */
export async function acceptAndRun(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
  acceptance: Acceptance,
): Promise<RemovalProgress> {
  const { force, safeHeads, silent, isTornDown = false } = acceptance
  const operationId = deps.ids.uuid()
  const accepted = await accept(deps, row, operationId, acceptance).catch(async (error: unknown) => {
    throw isTornDown ? await afterTeardown(deps, row, error) : error
  })
  return runRemoval({ ...deps, checkout, row: accepted, operationId, force, safeHeads, silent })
}

async function accept(
  deps: InstanceDeps,
  row: InstanceRow,
  operationId: string,
  { force, leaving = [row.id] }: Acceptance,
): Promise<InstanceRow> {
  await requireUnneeded(deps, row, leaving)
  return deps.store.transaction(async (db) => {
    await deps.ownedDatabases.holdUnused(db, row.id, leaving)
    return updateRow(db, row.id, {
      status: 'removing',
      ...(isUnfinishedRegistration(row) ? { profile: null } : {}),
      removal_operation_id: operationId,
      removal_force: force ? 1 : 0,
      removal_status: 'removing',
      removal_step: 'source_preparation',
      removal_completed: 0,
      removal_error_code: null,
      removal_started_at: deps.clock.now().toISOString(),
    })
  })
}

/**
 * Asked again under the operation lock, because a teardown may have taken hours: a clone may have begun, which begins under the same lock,
 * and another Instance may use a database that goes with this one (decision 0376). Throws `instance.clone_in_progress` and
 * `database.connection_attached`.
 */
export async function requireUnneeded(
  deps: Pick<InstanceDeps, 'queries' | 'ownedDatabases'>,
  row: InstanceRow,
  leaving: readonly number[],
): Promise<void> {
  await requireNotCloned(deps, row)
  await deps.ownedDatabases.requireUnused(await deps.ownedDatabases.ownedBy([row.id]), leaving)
}
