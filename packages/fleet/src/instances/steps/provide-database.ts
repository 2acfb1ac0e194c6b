import type { CodedError } from '@fleet/kernel'
import { type CheckoutSession, reserving } from '#/instances/checkout-session.ts'
import { codeOf, withDetails } from '#/instances/error-details.ts'
import type { InstanceParts } from '#/instances/parts.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { removeByForce } from './accept-removal.ts'

/** Kept of the request's time for the removal after a failure. */
const REMOVAL_SECONDS = 90

/** Somebody else works on the Instance or its database: nothing was tried, and the identical request resumes. */
const BUSY: readonly string[] = ['instance.lifecycle_busy', 'env.operation_busy', 'database.operation_busy']

/**
 * Gives a new Instance its database before its setup steps. A failure removes the Instance without teardown, and the database with
 * it (INS-069).
 */
export async function provideDatabase(
  parts: InstanceParts,
  checkout: CheckoutSession,
  row: InstanceRow,
): Promise<InstanceRow> {
  if (row.database_pending === null) return row
  const { call } = checkout.session
  let values: Partial<InstanceRow>
  try {
    values = await provided(parts, checkout, row)
  } catch (error) {
    throw await undoCreation(parts, checkout, row, withDetails(error, {}, 'database.server_command_failed'))
  } finally {
    // The Activity is about the Instance, not about the Node of the server.
    call.note.target(row.node_id)
  }
  return parts.queries.update(row.id, values)
}

async function provided(
  { copies, databases }: InstanceParts,
  checkout: CheckoutSession,
  row: InstanceRow,
): Promise<Partial<InstanceRow>> {
  const { session } = reserving(checkout, REMOVAL_SECONDS)
  if (row.database_pending === 'copy' && row.copy) {
    const shared = await copies.complete(session, row)
    return { database_pending: null, copy: { ...row.copy, shared } }
  }
  await databases.provide(session, row)
  return { database_pending: null }
}

async function undoCreation(
  parts: InstanceParts,
  checkout: CheckoutSession,
  row: InstanceRow,
  failure: CodedError,
): Promise<CodedError> {
  if (BUSY.includes(failure.code)) return failure
  await parts.queries.update(row.id, { failed_step: 'database', error_code: failure.code })
  try {
    await removeByForce(parts, reserving(checkout, 0), row)
    return failure
  } catch (cause) {
    checkout.session.call.log('instance removal incomplete', {
      instance: row.id,
      cause: codeOf(cause, 'instance.force_failed'),
    })
    const finish = `fleet instance:destroy ${row.id} --force`
    return withDetails(failure, { cleanup: 'incomplete', finish }, 'database.server_command_failed')
  }
}
