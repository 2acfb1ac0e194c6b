import { fail } from '@fleet/contract'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { RegistrationQueries } from '#/instances/registration/queries.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import { isUnfinishedRegistration } from '#/instances/rules.ts'
import { KEPT } from './directory-problem.ts'
import { applicationDirectoryOf, placeOf } from './place.ts'
import { putBack } from './put-back.ts'

export interface Finalization {
  readonly checkout: CheckoutSession
  readonly registrations: Pick<RegistrationQueries, 'find'>
  readonly operationId: string
  readonly force: boolean
}

/**
 * True for a row that never was active, so nothing is examined before its removal: a creation holds nobody's work, and the directory of a
 * registration goes back whole.
 */
export const isResidue = (row: InstanceRow): boolean => row.profile === null

/** Of production, releases, environment, database and user outlive the record (INS-118). */
export const keepsContent = (row: Pick<InstanceRow, 'environment'>): boolean =>
  row.environment === 'production'

/**
 * Deletes the checkout through quarantine (INS-115), if it still is what source_preparation recorded. What a registration that did not end
 * has moved goes back instead.
 */
export async function finalizeSource(finalization: Finalization, row: InstanceRow): Promise<void> {
  const { checkout, force, operationId, registrations } = finalization
  const broken = force ? 'instance.force_failed' : 'instance.removal_failed'
  if (isUnfinishedRegistration(row)) {
    const source = await registrations.find(row.id)
    if (!source) throw fail('instance.source_path_mismatch', { details: nodeDetail(checkout.session) })
    return putBack(checkout, row, { source, broken, force })
  }
  const mode = isResidue(row) ? 'attempt' : force ? 'force' : 'normal'
  const quarantineId = mode === 'attempt' ? row.preparation_id : operationId
  const request = {
    ...placeOf(row),
    quarantineId,
    mode,
    applicationDirectory: applicationDirectoryOf(row),
    dropsBranch: row.creation === 'repository',
  } as const
  const { word, path } = await checkout.session.ask(discardCheckout, request, { broken })
  const details = nodeDetail(checkout.session)
  switch (word) {
    case 'gone':
    case 'folder-missing':
      return
    case 'root-missing':
      if (mode === 'attempt') return
      throw fail('instance.source_path_mismatch', { details })
    case 'foreign':
    case 'unrecorded':
      // The directory there lacks the receipt, so an unfinished creation left nothing.
      if (mode === 'attempt') return
      throw fail('instance.source_ownership_mismatch', { details })
    case 'unsafe':
      throw fail('instance.checkout_path_unsafe', { details })
    case 'changed':
      throw fail('instance.remove_refused', { details: { ...details, reasons: ['changed_since_accepted'] } })
    case 'worktrees-changed':
      throw fail('instance.source_worktrees_mismatch', { details })
    case 'busy':
      throw fail('instance.lifecycle_busy', { details: { ...details, outcome: 'busy' } })
    case 'erase-failed':
      throw fail(broken, path === undefined ? { details } : { message: KEPT, details: { ...details, path } })
  }
}
