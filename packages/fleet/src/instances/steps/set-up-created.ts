import type { CodedError } from '@fleet/kernel'
import { withDetails } from '#/error-details.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { type CheckoutSession, reserving } from '#/instances/checkout-session.ts'
import { type CommandRun, runCommands, stepError, StepStopped } from './run-commands.ts'
import { SETUP_FINISHED, setupLog } from './setup-log.ts'
import { type FailedCreation, requireUnused, staying, takeBack } from './take-back.ts'

type Created = Pick<FailedCreation, 'row' | 'wasActive'>

/** Kept of the request's time for a failed setup: teardown and removal (PRJ-071). */
const TEARDOWN_SECONDS = 60
const REMOVAL_SECONDS = 90

/**
 * Runs what is left of the setup list of a new Instance. A failure undoes the creation: teardown, then a forced removal (PRJ-069); one
 * that was active before this request stays when a normal removal of it would be refused.
 */
export async function setUpCreated(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  created: Created,
): Promise<InstanceRow> {
  const { row } = created
  const commands = await deps.projects.steps(row.project_id, 'setup')
  if (commands.length === 0 && row.setup === null) return row
  try {
    const left = reserving(checkout, TEARDOWN_SECONDS + REMOVAL_SECONDS)
    const log = setupLog(deps.queries, row)
    const seed = await seedOf(deps, row)
    await runCommands({
      checkout: left,
      row,
      list: 'setup',
      commands,
      seed,
      log,
    })
  } catch (error) {
    throw await undoCreation(deps, checkout, created, error)
  }
  return deps.queries.update(row.id, SETUP_FINISHED)
}

/** The answer to a setup that stopped, after what could be undone was (PRJ-070). */
async function undoCreation(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  created: Created,
  error: unknown,
): Promise<CodedError> {
  const { row } = created
  const failure = setupError(checkout, error)
  // A step of the interrupted request still runs there: nothing was tried, so the identical request still resumes.
  if (failure.code === 'instance.lifecycle_busy') return failure
  await deps.queries.update(row.id, { failed_step: 'setup', error_code: failure.code })
  // A step may still run, or the Node cannot be asked: the Instance stays for the operator.
  if (!isConfirmed(error)) return failure
  const wayOn = `To run its setup list again: \`fleet instance:setup ${row.id}\`.`
  const failed = { ...created, failure, wayOn, otherwise: 'instance.setup_step_failed' } as const
  const left = reserving(checkout, REMOVAL_SECONDS)
  try {
    // Before the teardown: an Instance that stays must not lose what its teardown would take down.
    await requireUnused(deps, left, created)
  } catch (cause) {
    return staying(failed, cause)
  }
  const failures = await tearDown(deps, left, row)
  if (!failures.every(isConfirmed))
    return withDetails(failure, { cleanup: 'unconfirmed' }, 'instance.setup_step_failed')
  return takeBack(deps, reserving(checkout, 0), failed)
}

/** Every command of the list, whatever becomes of the others; answers the failures. */
async function tearDown(
  { projects }: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
): Promise<readonly unknown[]> {
  const commands = await projects.steps(row.project_id, 'teardown')
  try {
    return await runCommands({ checkout, row, list: 'teardown', commands, isWhole: true })
  } catch (error) {
    return [error]
  }
}

const isConfirmed = (error: unknown): boolean =>
  error instanceof StepStopped && error.outcome !== 'unconfirmed'

/** The deployed checkout that a setup may take dependencies from (PRJ-066). */
export async function seedOf(
  { queries }: Pick<InstanceDeps, 'queries'>,
  { id, project_id, node_id }: InstanceRow,
): Promise<CommandRun['seed']> {
  const seed = await queries.findSeed(project_id, node_id)
  return seed && seed.id !== id ? { path: seed.checkout_path, commit: seed.seed_commit } : undefined
}

export const setupError = (checkout: CheckoutSession, error: unknown): CodedError =>
  error instanceof StepStopped
    ? stepError(checkout, 'setup', error)
    : withDetails(error, {}, 'instance.setup_step_failed')
