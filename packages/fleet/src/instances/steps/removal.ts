import { type ErrorCode, type RemovalProgress, type RemovalStep, removalSteps } from '@fleet/contract'
import { columnsLog, type StepFailure, stepList, type StepLog } from '@fleet/steps'
import { codeOf, withDetails } from '#/instances/error-details.ts'
import { completedRemoval, presentRemoval } from '#/instances/present.ts'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'
import { nodeDetail } from '#/instances/site.ts'
import { performSteps } from '#/perform-steps.ts'
import { finalizeSource, type Finalization, isLeftover } from './finalize-source.ts'
import { inspect } from './inspect.ts'

/** An accepted removal on its way. */
export interface Removal extends Finalization {
  readonly queries: InstanceQueries
  readonly row: InstanceRow
  /** Digest of the heads that acceptance found safe; undefined when the removal is resumed. */
  readonly safeHeads: string | undefined
}

/** What each recorded step does. All are safe to run twice. */
const work: Readonly<Record<RemovalStep, (removal: Removal) => Promise<void>>> = {
  source_preparation: async ({ site, row, force, safeHeads, operationId }) => {
    if (!isLeftover(row)) await inspect(site, row, { force, safeHeads, recordFor: operationId })
  },
  // No Instance has a Route yet, so there is no traffic to stop.
  route_target_clear: async () => {},
  source_finalization: (removal) => finalizeSource(removal, removal.row),
  // Its port is free again with the row; an Instance has no other runtime yet.
  runtime_cleanup: async () => {},
  row_deletion: ({ queries, row }) => queries.remove(row.id),
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
  const { row, operationId, force, site } = removal
  await performSteps(instanceRemoval, removal, {
    call: site.call,
    lock: site,
    log: removalLog(removal),
    details: nodeDetail(site.node),
    errorOf: (failure) => removalError(removal, failure),
  })
  return completedRemoval(row, operationId, force)
}

/** The row itself as the log: how many steps are done, the one that comes next and why it failed. Deleting the row needs no record. */
export const removalLog = ({ queries, row, force }: Removal): StepLog =>
  columnsLog<Partial<InstanceRow>>({
    done: () => removalSteps.slice(0, row.removal_completed ?? 0),
    on: {
      started: (step) => ({
        removal_status: 'removing',
        removal_step: step,
        removal_completed: removalSteps.findIndex((name) => name === step),
        removal_error_code: null,
      }),
      failed: (_step, cause) => ({
        removal_status: 'failed',
        removal_error_code: codeOf(cause, otherwise(force)),
      }),
    },
    write: (values) => queries.update(row.id, values),
  })

const otherwise = (force: boolean): ErrorCode => (force ? 'instance.force_failed' : 'instance.removal_failed')

async function removalError(
  { queries, row, force }: Removal,
  { kind, cause }: StepFailure,
): Promise<unknown> {
  // Another request continues this removal, and the record is its own now.
  if (kind === 'lost') return cause
  const failed = await queries.find(row.id)
  return withDetails(cause, failed ? { removal: presentRemoval(failed) } : {}, otherwise(force))
}
