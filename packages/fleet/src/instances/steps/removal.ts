import { type ErrorCode, type RemovalProgress, type RemovalStep, removalSteps } from '@fleet/contract'
import { runSteps, type Step, StepFailure, type StepLog } from '@fleet/steps'
import { codeOf, withDetails } from '#/instances/error-details.ts'
import { completedRemoval, presentRemoval } from '#/instances/present.ts'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'
import { finalizeSource, type Finalization, isLeftover } from './finalize-source.ts'
import { inspect } from './inspect.ts'

/** An accepted removal on its way. */
export interface Removal extends Finalization {
  readonly queries: InstanceQueries
  readonly row: InstanceRow
  /** Digest of the heads that acceptance found safe; undefined when the removal is resumed. */
  readonly safeHeads: string | undefined
}

const ACCEPTANCE = 'acceptance'

type Work = Readonly<Record<RemovalStep, Step<Removal>['run']>>

/** What each recorded step does. All are safe to run twice. */
const work: Work = {
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

/** Acceptance is the commit point and done before the list begins: from there a removal only goes forward. */
const steps: readonly Step<Removal>[] = [
  { name: ACCEPTANCE, commits: true, run: async () => {} },
  ...removalSteps.map((name) => ({ name, run: work[name] })),
]

/**
 * Runs the recorded steps of an accepted removal from the first unfinished one (INS-113). A failure is recorded with its
 * step and thrown with `details.removal`; the identical request goes on from there.
 */
export async function runRemoval(removal: Removal): Promise<RemovalProgress> {
  const { row, operationId, force } = removal
  try {
    await runSteps(steps, removal, logIn(removal))
  } catch (error) {
    throw error instanceof StepFailure ? await recordFailure(removal, error.cause) : error
  }
  return completedRemoval(row, operationId, force)
}

/** The row itself as the log: how many steps are done, and the one that comes next. */
const logIn = ({ queries, row }: Removal): StepLog => ({
  progress: async () => {
    const done = [ACCEPTANCE, ...removalSteps.slice(0, row.removal_completed ?? 0)]
    return { done, begun: [] }
  },
  record: async (step, event) => {
    const index = removalSteps.findIndex((name) => name === step)
    const name = removalSteps[index]
    if (event === 'started' && name !== undefined) {
      await queries.update(row.id, {
        removal_status: 'removing',
        removal_step: name,
        removal_completed: index,
        removal_error_code: null,
      })
    }
  },
})

/** Deleting the row needs no record of its own, and a failure is recorded with its code, which the runner does not know. */
async function recordFailure({ queries, row, force }: Removal, cause: unknown): Promise<unknown> {
  const otherwise: ErrorCode = force ? 'instance.force_failed' : 'instance.removal_failed'
  const code = codeOf(cause, otherwise)
  // Another request goes on with this removal, and the record is its own now.
  if (code === 'node.lock_lost') return cause
  const failed = await queries.update(row.id, { removal_status: 'failed', removal_error_code: code })
  return withDetails(cause, { removal: presentRemoval(failed) }, otherwise)
}
