import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { bounded } from '#/bounded.ts'
import type { ProjectCheckout } from '#/instances/api.ts'
import { performPart } from '#/perform-steps.ts'
import type { ProjectUpdate } from '#/project-updates/update.ts'

/** Commands on checkouts that run at a time: as many as a Node takes without queueing, and Nodes are few. */
export const CHECKOUTS_AT_ONCE = 8

/**
 * Does the work for each of the Instances, so many at once, and reports each by name. After a failure no further one begins; it is
 * thrown with the Instance in its details.
 */
export async function ofEach(
  { call }: Pick<ProjectUpdate, 'call'>,
  step: string,
  instances: readonly ProjectCheckout[],
  work: (of: ProjectCheckout) => Promise<unknown>,
  atOnce = CHECKOUTS_AT_ONCE,
): Promise<void> {
  let hasFailed = false
  await bounded(instances, atOnce, async (of) => {
    if (hasFailed) return
    try {
      await performPart(call, { step, part: of.row.name }, () => work(of))
    } catch (error) {
      hasFailed = true
      throw named(error, of)
    }
  })
}

/** For undoing: every one is tried, and the first failure is thrown afterwards. */
export async function undoEach(
  instances: readonly ProjectCheckout[],
  work: (of: ProjectCheckout) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  await bounded(instances, CHECKOUTS_AT_ONCE, async (of) => {
    await work(of).catch((error: unknown) => failures.push(named(error, of)))
  })
  if (failures.length > 0) throw failures[0]
}

function named(error: unknown, { row: { id, name } }: ProjectCheckout): unknown {
  if (!(error instanceof CodedError) || error.details?.['instance'] !== undefined) return error
  // A coded error of a domain has a code of the registry.
  return fail(error.code as ErrorCode, {
    message: error.message,
    details: { ...error.details, instance: { id, name } },
    cause: error,
  })
}
