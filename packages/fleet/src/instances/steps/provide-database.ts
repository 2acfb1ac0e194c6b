import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type CheckoutSession, reserving } from '#/instances/checkout-session.ts'
import { codeOf, withDetails } from '#/error-details.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { finishRemoval } from '#/instances/rules.ts'
import { silentCode } from '#/nodes/api.ts'
import { type FailedCreation, takeBack } from './take-back.ts'

type Created = Pick<FailedCreation, 'row' | 'wasActive'>

/** Kept of the request's time for the removal after a failure. */
const REMOVAL_SECONDS = 90

/** Somebody else works on the Instance or its database: nothing was tried, and the identical request resumes. */
const BUSY: readonly string[] = [
  'instance.lifecycle_busy',
  'env.operation_busy',
  'database.operation_busy',
  'database.server_busy',
]

/**
 * Gives a new Instance its database before its setup steps. A failure removes the Instance without teardown, and the database with
 * it (INS-069); one that was active before this request stays when a normal removal of it would be refused. A Node or a server that has
 * stopped to answer is no failure of the copy: nothing can be dropped there, so the Instance waits for the identical request
 * (decisions 0268 and 0366).
 */
export async function provideDatabase(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  created: Created,
): Promise<InstanceRow> {
  const { row } = created
  if (row.database_pending === null) return row
  const { call } = checkout.session
  let values: Partial<InstanceRow>
  try {
    values = await provided(deps, checkout, row)
  } catch (error) {
    throw await undoCreation(
      deps,
      checkout,
      created,
      withDetails(error, {}, 'database.server_command_failed'),
    )
  } finally {
    // The Activity is about the Instance, not about the Node of the server.
    call.note.target(row.node_id)
  }
  return deps.queries.update(row.id, values)
}

async function provided(
  { copies, databases }: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
): Promise<Partial<InstanceRow>> {
  const { session } = reserving(checkout, REMOVAL_SECONDS)
  if (row.database_pending === 'copy' && row.copy) {
    const shared = await copies.complete(session, row)
    return { ...PROVIDED, copy: { ...row.copy, shared } }
  }
  await databases.provide(session, row)
  return PROVIDED
}

const PROVIDED = { database_pending: null, failed_step: null, error_code: null } as const

async function undoCreation(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  created: Created,
  failure: CodedError,
): Promise<CodedError> {
  if (BUSY.includes(failure.code)) return failure
  const { row } = created
  await deps.queries.update(row.id, { failed_step: 'database', error_code: failure.code })
  const silent = silentPart(deps, failure)
  if (silent !== undefined) return waiting(row, failure, { silent, finish: finishRemoval(row.id, true) })
  return takeBack(deps, reserving(checkout, 0), {
    ...created,
    failure,
    otherwise: 'database.server_command_failed',
    wayOn: 'To try again, repeat the same request.',
  })
}

/** What does not answer: then nothing can be dropped there either. */
function silentPart({ databases }: InstanceDeps, failure: CodedError): 'Node' | 'server' | undefined {
  const errors = [failure, failure.cause]
  if (errors.some((error) => silentCode(error) !== undefined)) return 'Node'
  return errors.some((error) => databases.isServerSilent(error)) ? 'server' : undefined
}

interface WaysOn {
  readonly silent: 'Node' | 'server'
  readonly finish: string
}

/** The same failure for an Instance that waits for its Node or its server, with both ways on. */
function waiting({ name }: InstanceRow, failure: CodedError, { silent, finish }: WaysOn): CodedError {
  const { message } = failure.cause instanceof CodedError ? failure.cause : failure
  return fail(codeOf(failure, 'database.server_command_failed'), {
    message: `The Instance ${name} waits for its database: ${message} Repeat the same request once the ${silent} answers. To give the Instance up: \`${finish}\`.`,
    details: { ...failure.details, cleanup: 'incomplete', finish },
    cause: failure.cause,
  })
}
