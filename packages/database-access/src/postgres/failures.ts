import { DatabaseFailure } from '#/failure.ts'
import { statementFailed, writeRequired } from '#/statement.ts'
import { timeOver } from '#/time/time-limit.ts'
import { ServerError } from './exchange.ts'

/** An error of the server, the driver or the stream as what callers get. `write`: whether the statement was to write. */
export function postgresFailure(error: unknown, write: boolean): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  if (!(error instanceof ServerError)) return lost(error)
  const { sqlState, position, cause } = error
  if (!write && WRITES.has(sqlState)) return writeRequired('the server refuses it in a read-only transaction')
  // query_canceled, transaction_timeout and admin_shutdown: the limits of the server and of the second connection.
  if (sqlState === '57014' || sqlState === '25P04' || sqlState === '57P01') return timeOver()
  return statementFailed(sqlState, position, cause)
}

/** read_only_sql_transaction and no_active_sql_transaction, invalid_transaction_state of COMMIT and its kin. */
const WRITES = new Set(['25006', '25001', '2D000'])

const lost = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The connection to the database broke before the statement had answered.',
    { reason: 'lost' },
    cause,
  )

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
