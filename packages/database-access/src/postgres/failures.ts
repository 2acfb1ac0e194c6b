import { DatabaseFailure } from '#/failure.ts'
import { messageOf, postgresMistake } from '#/mistakes.ts'
import { connectionLost, statementFailed, writeRequired } from '#/statement.ts'
import { timeOver } from '#/time/time-limit.ts'
import { ServerError } from './exchange.ts'

/**
 * An error of the server, the driver or the stream as what callers get. `sql` is that of the caller, `write` whether it was to
 * write; `ended`: why the request has ended it, if it has.
 */
export function postgresFailure(
  error: unknown,
  { sql = '', write }: { readonly sql?: string; readonly write: boolean },
  ended: DatabaseFailure | undefined,
): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  // Its parts stand too deep in each other to be judged (statement_too_complex).
  if (error instanceof RangeError) return statementFailed('54001', { mistake: TOO_COMPLEX })
  if (!(error instanceof ServerError)) return connectionLost(error)
  const { sqlState, position, cause } = error
  if (!write && WRITES.has(sqlState)) return writeRequired('the server refuses it in a read-only transaction')
  // transaction_timeout, and query_canceled and admin_shutdown of the server's limits and of the second connection.
  if (sqlState === '25P04') return timeOver()
  if (ended && (sqlState === '57014' || GONE.has(sqlState))) return ended
  if (GONE.has(sqlState)) return connectionLost(error)
  const mistake = postgresMistake(sqlState, messageOf(cause), sql)
  return statementFailed(sqlState, { position, mistake, cause })
}

const TOO_COMPLEX = { text: 'its parts stand too deep in each other' }

/** read_only_sql_transaction and no_active_sql_transaction, invalid_transaction_state of COMMIT and its kin. */
const WRITES = new Set(['25006', '25001', '2D000'])

/** admin_shutdown, crash_shutdown and cannot_connect_now: somebody else has ended the session, or the server. */
const GONE = new Set(['57P01', '57P02', '57P03'])

/** What `pg` says while it connects and logs in. */
export function postgresLoginFailure(cause: unknown): DatabaseFailure {
  if (cause instanceof DatabaseFailure) return cause
  const condition =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  if (condition !== undefined && /^[0-9A-Z]{5}$/.test(condition))
    return new DatabaseFailure(
      'database.query_failed',
      `The database server refused the login (${condition}).`,
      { reason: 'login', condition },
      cause,
    )
  return new DatabaseFailure(
    'database.query_failed',
    'The database server could not be reached.',
    { reason: 'unreachable' },
    cause,
  )
}
