import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { codeOf, withDetails } from '#/error-details.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { rulesOf } from '#/instances/rules.ts'
import { keepsContent } from './finalize-source.ts'
import { inspect } from './inspect.ts'
import { runCommands, stepError, StepStopped } from './run-commands.ts'

/** Whether the teardown list of its Project runs before a removal of it is accepted (INS-117). */
export const hasTeardown = (row: InstanceRow): boolean => rulesOf(row).runsSteps && !keepsContent(row)

/** What a source is after its teardown list. */
export interface TornDown {
  /** Digest of the heads that were found safe before; undefined where a forced removal found nothing. */
  readonly heads: string | undefined
  /** The list was empty, so the source is as it was found. */
  readonly isUnchanged: boolean
}

/**
 * Runs the teardown list in the source, once that is found to be one that can be removed: what is refused must not lose what its
 * teardown would take down. A list that does not succeed refuses the removal (INS-117).
 */
export async function tearDown(
  { projects }: Pick<InstanceDeps, 'projects'>,
  checkout: CheckoutSession,
  row: InstanceRow,
  force: boolean,
): Promise<TornDown> {
  const commands = await projects.steps(row.project_id, 'teardown')
  const heads = await inspect(checkout, row, { force, logins: projects })
  if (heads !== undefined) await run({ checkout, row, list: 'teardown', commands })
  return { heads, isUnchanged: commands.length === 0 }
}

/** A refusal after the list has run also says so: an Instance that stays may lack what its setup made. */
export async function afterTeardown(
  { projects }: Pick<InstanceDeps, 'projects'>,
  row: InstanceRow,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof CodedError) || (await projects.steps(row.project_id, 'teardown')).length === 0)
    return error
  return fail(codeOf(error), {
    message: `${error.message} The teardown list of ${row.name} has run, and runs again with the next removal. To keep the Instance, set it up again: \`fleet instance:setup ${row.id}\`.`,
    ...(error.details && { details: error.details }),
    cause: error.cause ?? error,
  })
}

async function run(given: Parameters<typeof runCommands>[0]): Promise<void> {
  try {
    await runCommands(given)
  } catch (error) {
    if (error instanceof StepStopped) throw stepError(given.checkout, 'teardown', error)
    throw withDetails(error, {}, 'instance.teardown_step_failed')
  }
}
