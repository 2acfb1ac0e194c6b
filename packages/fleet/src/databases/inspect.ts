import { fail } from '@fleet/contract'
import { type DatabaseAccess, DatabaseFailure, type Request, type Target } from '@fleet/database-access'
import { CodedError, type Details } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { CommandMissing, STATEMENT_MILLISECONDS, type TargetDeps, targetOf } from '#/databases/target.ts'

export type Inspection<T> = (access: DatabaseAccess, target: Target, request: Request) => Promise<T>

/**
 * Looks into the database of a connection, for at most 30 s. Throws the codes of the engines: trouble with the database,
 * its Node or the record is `database.query_failed` with `details.reason` (DB-071).
 */
export async function inspect<T>(
  deps: TargetDeps,
  call: Call,
  record: ConnectionRecord,
  work: Inspection<T>,
): Promise<T> {
  const target = await targetOf(deps, call, record)
  const timeoutMilliseconds = Math.min(STATEMENT_MILLISECONDS, call.deadline.forwardMilliseconds())
  try {
    return await work(deps.engines.access, target, { signal: call.signal, timeoutMilliseconds })
  } catch (error) {
    throw error instanceof DatabaseFailure ? codedOf(error, record.slug) : error
  }
}

/** A failure has only safe text: no SQL, no value and no words of a server. */
function codedOf(failure: DatabaseFailure, slug: string): CodedError {
  const more = causeOf(failure.cause)
  return fail(failure.code, {
    message: more?.message ?? `${failure.message}${helpOf(failure, slug)}`,
    details: { ...failure.details, ...more?.details },
    cause: failure,
  })
}

/** Only who registered a database knows how its server proves itself. */
const helpOf = ({ details: { reason } }: DatabaseFailure, slug: string): string =>
  reason === 'tls'
    ? ` Say how the connection shall be protected: \`fleet database:update ${slug} --tls MODE --tls-ca CERTIFICATES\`.`
    : ''

/** Why the database was not reached, where its Node is the reason. */
function causeOf(cause: unknown): { readonly message: string; readonly details: Details } | undefined {
  if (cause instanceof CodedError)
    return { message: cause.message, details: { ...cause.details, cause: cause.code } }
  if (cause instanceof CommandMissing)
    return {
      message:
        'The Node has no working `fleet` command, which reads the file. `fleet node:converge NODE --force` installs it.',
      details: { reason: 'command_missing' },
    }
  return undefined
}
