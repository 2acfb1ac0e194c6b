import { fail } from '@fleet/contract'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import { applicationDirectoryOf, placeOf } from './place.ts'

export interface Finalization {
  readonly checkout: CheckoutSession
  readonly operationId: string
  readonly force: boolean
}

/** True for a row that never was active: it holds nobody's work, so nothing is examined before its removal. */
export const isResidue = (row: InstanceRow): boolean => row.profile === null

/** Of production, releases, environment, database and user outlive the record (INS-118). */
export const keepsContent = (row: Pick<InstanceRow, 'environment'>): boolean =>
  row.environment === 'production'

/** Deletes the checkout through quarantine (INS-115), if it still is what source_preparation recorded. */
export async function finalizeSource(
  { checkout, force, operationId }: Finalization,
  row: InstanceRow,
): Promise<void> {
  const mode = isResidue(row) ? 'attempt' : force ? 'force' : 'normal'
  const quarantineId = mode === 'attempt' ? row.preparation_id : operationId
  const request = {
    ...placeOf(row),
    quarantineId,
    mode,
    applicationDirectory: applicationDirectoryOf(row),
    dropsBranch: row.creation === 'repository',
  } as const
  const broken = force ? 'instance.force_failed' : 'instance.removal_failed'
  const { word } = await checkout.session.ask(discardCheckout, request, { broken })
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
      throw fail(broken, { details })
  }
}
