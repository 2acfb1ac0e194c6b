import { type ErrorCode, type RemovalProgress, type RemovalStep, removalSteps } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { columnsLog, type StepFailure, stepList, type StepLog } from '@fleet/steps'
import { codeOf, withDetails } from '#/error-details.ts'
import { completedRemoval, presentRemoval } from '#/instances/present.ts'
import type { InstanceRoutes, InstanceRuntime } from '#/instances/ports.ts'
import { type InstanceQueries, type InstanceRow, removeRow } from '#/instances/queries.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { Projects } from '#/projects/api.ts'
import { performSteps } from '#/perform-steps.ts'
import { finalizeSource, type Finalization, isResidue, keepsContent } from './finalize-source.ts'
import { inspect } from './inspect.ts'

/** An accepted removal on its way. */
export interface Removal extends Finalization {
  readonly queries: InstanceQueries
  readonly projects: Pick<Projects, 'login'>
  readonly runtime: InstanceRuntime
  readonly store: Pick<Store, 'transaction'>
  readonly routes: Pick<InstanceRoutes, 'remove' | 'forget'>
  readonly row: InstanceRow
  /** With `offline`: Routers that do not answer are skipped and added here. */
  readonly silent?: NodeRecord[] | undefined
  /** Digest of the heads that acceptance found safe; undefined when the removal is resumed. */
  readonly safeHeads: string | undefined
}

/** What each recorded step does. All are safe to run twice. */
const work: Readonly<Record<RemovalStep, (removal: Removal) => Promise<void>>> = {
  source_preparation: async ({ projects: logins, checkout, row, force, safeHeads, operationId }) => {
    if (!isResidue(row) && !keepsContent(row))
      await inspect(checkout, row, { force, logins, safeHeads, recordFor: operationId })
  },
  route_target_clear: ({ checkout, routes, row, silent }) => routes.remove(checkout.session, row, silent),
  source_finalization: async (removal) => {
    // What runs in the checkout would go on writing there.
    await removal.runtime.stop(removal.checkout.session, removal.row.id)
    if (!keepsContent(removal.row)) await finalizeSource(removal, removal.row)
  },
  // Its port is free again with the row.
  runtime_cleanup: ({ runtime, checkout, row }) => runtime.remove(checkout.session, row.id),
  row_deletion: ({ store, routes, row: { id } }) =>
    store.transaction(async (db) => {
      await routes.forget(db, id)
      await removeRow(db, id)
    }),
}

/** Acceptance came before it: a removal only goes forward. */
export const instanceRemoval = stepList<Removal>(
  'instance-removal',
  removalSteps.map((name) => ({ name, run: work[name] })),
  { forwardOnly: true },
)

/**
 * Runs the recorded steps of an accepted removal from the first unfinished one (INS-113). A failure is recorded with its
 * step and thrown with `details.removal`; the identical request resumes there.
 */
export async function runRemoval(removal: Removal): Promise<RemovalProgress> {
  const { row, operationId, force, checkout } = removal
  let stored = row
  const log = removalLog(removal, (written) => (stored = written))
  const errorOf = (failure: StepFailure): unknown => removalError(stored, failure, force)
  await performSteps(instanceRemoval, removal, {
    call: checkout.session.call,
    log,
    errorOf,
  })
  return completedRemoval(row, operationId, force)
}

/** The row itself as the log: how many steps are done, the one that comes next and why it failed. Deleting the row needs no record. */
export const removalLog = (
  { queries, row, force }: Removal,
  onWrite: (row: InstanceRow) => void = () => undefined,
): StepLog =>
  columnsLog<Partial<InstanceRow>>({
    done: () => removalSteps.slice(0, row.removal_completed ?? 0),
    on: {
      started: (step) => ({
        removal_status: 'removing',
        removal_step: removalSteps.find((name) => name === step) ?? null,
        removal_completed: removalSteps.findIndex((name) => name === step),
        removal_error_code: null,
      }),
      failed: (_step, cause) => ({
        removal_status: 'failed',
        removal_error_code: codeOf(cause, otherwise(force)),
      }),
    },
    write: async (values) => onWrite(await queries.update(row.id, values)),
  })

const otherwise = (force: boolean): ErrorCode => (force ? 'instance.force_failed' : 'instance.removal_failed')

function removalError(stored: InstanceRow, failure: StepFailure, force: boolean): unknown {
  const { kind, cause, recordFailure } = failure
  // Another request continues this removal, and the record is its own; or the store took no record of the failure.
  if (kind === 'lost' || recordFailure !== undefined) return cause
  return withDetails(cause, { removal: presentRemoval(stored) }, otherwise(force))
}
