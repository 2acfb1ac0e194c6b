import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import { codeOf, withDetails } from '#/instances/error-details.ts'
import type { InstanceParts } from '#/instances/parts.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { type CreationStep, creationSteps, discardAttempt } from './creation.ts'

/**
 * Runs the creation from the state that the row stands in and records every state it reaches. A failure takes back what
 * the attempt made and keeps its own code (INS-052); `fresh` says that this request made the row.
 */
export async function runCreation(
  parts: InstanceParts,
  checkout: CheckoutSession,
  reserved: InstanceRow,
  fresh: boolean,
): Promise<InstanceRow> {
  let row = reserved
  for (const step of creationSteps) {
    if (row.status !== step.from) continue
    const reached = await step
      .run(checkout, row)
      .catch((error: unknown) => giveUp(parts, checkout, { row, step, fresh, error }))
    row = await parts.queries.update(row.id, { ...(await withSetup(parts, row, reached)), error_code: null })
  }
  return row
}

/** An active Instance whose setup list has not run to its end says so from the first moment (INS-016). */
const withSetup = async (
  { projects }: InstanceParts,
  row: InstanceRow,
  reached: Partial<InstanceRow>,
): Promise<Partial<InstanceRow>> => {
  const waits = reached.status === 'active' && (await projects.steps(row.project_id, 'setup')).length > 0
  return { ...reached, setup: waits ? 'pending' : null, failed_step: waits ? 'setup' : null }
}

interface Failed {
  readonly row: InstanceRow
  readonly step: CreationStep
  readonly fresh: boolean
  readonly error: unknown
}

async function giveUp(parts: InstanceParts, checkout: CheckoutSession, failed: Failed): Promise<never> {
  const { row, step, fresh, error } = failed
  const code = codeOf(error, 'instance.source_failed')
  // Another request works here now, so the row and the directory are its business.
  if (code === 'node.lock_lost') throw error
  const record = { failed_step: step.name, error_code: code }
  // A script of an earlier request still works in the directory; the identical request goes on once it has ended.
  if (code === 'instance.lifecycle_busy') {
    await parts.queries.update(row.id, record)
    throw error
  }
  // The first command of a new attempt that never began left nothing to look for.
  if (!(fresh && step.from === 'reserved' && neverBegan(error))) await cleanUp(parts, checkout, failed, record)
  await parts.queries.remove(row.id)
  throw error
}

async function cleanUp(
  { queries }: InstanceParts,
  checkout: CheckoutSession,
  { row, error }: Failed,
  record: Partial<InstanceRow>,
): Promise<void> {
  // First: a crash during the clean-up must make the identical request begin anew, not in a half-deleted checkout.
  await queries.update(row.id, { status: 'reserved', ...record })
  try {
    await discardAttempt(checkout, row)
  } catch (cause) {
    checkout.session.call.log('instance clean-up incomplete', {
      instance: row.id,
      cause: codeOf(cause, 'instance.source_failed'),
    })
    throw withDetails(error, { cleanup: 'incomplete' }, 'instance.source_failed')
  }
}

const neverBegan = (error: unknown): boolean =>
  error instanceof CodedError && error.cause instanceof SshFailure && !error.cause.sent
