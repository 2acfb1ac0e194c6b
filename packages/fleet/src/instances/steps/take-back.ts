import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { codeOf, withDetails } from '#/error-details.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { finishRemoval } from '#/instances/rules.ts'
import { acceptAndRun, requireUnneeded } from './accept-removal.ts'
import { inspect } from './inspect.ts'

/** A creation that failed once its Instance was active. */
export interface FailedCreation {
  readonly row: InstanceRow
  /** Before this request, so that somebody may have worked in it since. */
  readonly wasActive: boolean
  /** What the request answers, and in the place of what the contract does not know. */
  readonly failure: CodedError
  readonly otherwise: ErrorCode
  /** A sentence with what goes on with an Instance that stays. */
  readonly wayOn: string
}

/**
 * Removes the Instance of a failed creation: by force what this request made (PRJ-069, INS-069), and as a normal removal does what was
 * active before it. Answers the failure, which also says where the Instance stays, and why.
 */
export async function takeBack(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  failed: FailedCreation,
): Promise<CodedError> {
  const { row, wasActive, failure, otherwise } = failed
  let isAccepted = false
  const remove = async (): Promise<void> => {
    const safeHeads = await requireUnused(deps, checkout, failed)
    isAccepted = true
    await acceptAndRun(deps, checkout, row, { force: !wasActive, safeHeads })
  }
  try {
    await withOperationLock(deps.store, checkout.session.call, row.id, 'instance.lifecycle_busy', remove)
    return failure
  } catch (cause) {
    checkout.session.call.log('instance removal incomplete', {
      instance: row.id,
      cause: codeOf(cause, 'instance.force_failed'),
    })
    if (!isAccepted) return staying(failed, cause)
    const finish = finishRemoval(row.id, !wasActive)
    return withDetails(failure, { cleanup: 'incomplete', finish }, otherwise)
  }
}

/**
 * Throws what every removal is refused with, and of an Instance that was active before the request what a normal one is refused with;
 * answers its safe heads.
 */
export async function requireUnused(
  deps: Pick<InstanceDeps, 'projects' | 'queries' | 'ownedDatabases'>,
  checkout: CheckoutSession,
  { row, wasActive }: Pick<FailedCreation, 'row' | 'wasActive'>,
): Promise<string | undefined> {
  await requireUnneeded(deps, row, [row.id])
  return wasActive ? inspect(checkout, row, { force: false, logins: deps.projects }) : undefined
}

/** The failure for an Instance that stays because of what `requireUnused` throws, with both ways on. */
export function staying(
  { row, wasActive, failure, otherwise, wayOn }: FailedCreation,
  cause: unknown,
): CodedError {
  const finish = finishRemoval(row.id, !wasActive)
  const kept = wasActive ? 'was active before this request, so it was not removed' : 'was not removed'
  const why = cause instanceof CodedError ? cause.message : 'its checkout could not be examined.'
  const reasons = cause instanceof CodedError ? cause.details?.['reasons'] : undefined
  return fail(codeOf(failure, otherwise), {
    message: `${failure.message} The Instance ${row.name} ${kept}: ${why} ${wayOn} To remove it: \`${finish}\`.`,
    details: {
      ...failure.details,
      cleanup: 'incomplete',
      ...(reasons === undefined ? {} : { reasons }),
      finish,
    },
    cause: failure.cause,
  })
}
