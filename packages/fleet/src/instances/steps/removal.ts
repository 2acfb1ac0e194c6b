import { type ErrorCode, fail, type RemovalStep, removalSteps } from '@fleet/contract'
import { readAnswer } from '#/instances/commands/answer.ts'
import { discardAnswers, discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { codeOf, withDetails } from '#/instances/error-details.ts'
import { completedRemoval, presentRemoval } from '#/instances/present.ts'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'
import { nodeDetail, type Site } from '#/instances/site.ts'
import { inspect } from './inspect.ts'
import { placeOf } from './place.ts'

/** An accepted removal on its way. */
export interface Removal {
  readonly site: Site
  readonly queries: InstanceQueries
  readonly operationId: string
  readonly force: boolean
  /** Digest of the heads that acceptance found safe; undefined when the removal is resumed. */
  readonly safeHeads: string | undefined
}

type Work = (removal: Removal, row: InstanceRow) => Promise<void>

/** What each recorded step does. All are safe to run twice, and none goes back: acceptance was the commit point. */
const work: Readonly<Record<RemovalStep, Work>> = {
  source_preparation: recordSource,
  // No Instance has a Route yet, so there is no traffic to stop.
  route_target_clear: async () => {},
  source_finalization: discardSource,
  // Its port is free again with the row; an Instance has no other runtime yet.
  runtime_cleanup: async () => {},
  row_deletion: ({ queries }, row) => queries.remove(row.id),
}

/**
 * Runs the recorded steps of an accepted removal from the first unfinished one (INS-113). A failure is recorded with its
 * step and thrown with `details.removal`; the identical request goes on from there.
 */
export async function runRemoval(
  removal: Removal,
  accepted: InstanceRow,
): Promise<ReturnType<typeof completedRemoval>> {
  const { queries, operationId, force } = removal
  let row = accepted
  for (const [index, step] of removalSteps.entries()) {
    if (index < (row.removal_completed ?? 0)) continue
    row = await queries.update(row.id, {
      removal_status: 'removing',
      removal_step: step,
      removal_completed: index,
      removal_error_code: null,
    })
    await work[step](removal, row).catch((error: unknown) => failAt(removal, row, error))
  }
  return completedRemoval(accepted, operationId, force)
}

async function failAt({ queries, force }: Removal, row: InstanceRow, error: unknown): Promise<never> {
  const otherwise: ErrorCode = force ? 'instance.force_failed' : 'instance.removal_failed'
  const failed = await queries.update(row.id, {
    removal_status: 'failed',
    removal_error_code: codeOf(error, otherwise),
  })
  throw withDetails(error, { removal: presentRemoval(failed) }, otherwise)
}

/** True for a row that never was active: it holds nobody's work, so nothing is examined before its removal. */
const isLeftover = (row: InstanceRow): boolean => row.profile === null

async function recordSource(removal: Removal, row: InstanceRow): Promise<void> {
  if (isLeftover(row)) return
  const { site, force, safeHeads, operationId } = removal
  await inspect(site, row, { force, safeHeads, recordFor: operationId })
}

async function discardSource({ site, force, operationId }: Removal, row: InstanceRow): Promise<void> {
  const mode = isLeftover(row) ? 'attempt' : force ? 'force' : 'normal'
  const quarantineId = mode === 'attempt' ? row.preparation_id : operationId
  const command = discardCheckout(placeOf(row), quarantineId, mode)
  const answer = readAnswer(await site.run(command), discardAnswers)
  const details = nodeDetail(site.node)
  switch (answer?.word) {
    case 'gone':
    case 'folder-missing':
      return
    case 'root-missing':
      if (mode === 'attempt') return
      throw fail('instance.source_path_mismatch', { details })
    case 'foreign':
    case 'unrecorded':
      // What stands there lacks the receipt, so an unfinished creation left nothing.
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
    case undefined:
      throw fail(force ? 'instance.force_failed' : 'instance.removal_failed', { details })
  }
}
