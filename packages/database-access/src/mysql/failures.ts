import { DatabaseFailure } from '#/failure.ts'
import { statementFailed, writeRequired } from '#/statement.ts'
import { timeOver } from '#/time/time-limit.ts'

/** ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION and ER_READ_ONLY_MODE. */
const WRITES = new Set([1792, 1836])
/** Interrupted or timed out: ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT, ER_CONNECTION_KILLED. */
const TIME = new Set([1317, 1969, 3024, 1927])

/** ER_MUST_CHANGE_PASSWORD: MariaDB lets such an account log in, and answers it nothing. */
const EXPIRED = 1820

/** An error of the server, the driver or the stream as what callers get. */
export function mysqlFailure(error: unknown, write: boolean): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const number = numberOf(error)
  if (number === undefined) {
    const text = 'The connection to the database broke before the statement had answered.'
    return new DatabaseFailure('database.query_failed', text, { reason: 'lost' }, error)
  }
  if (!write && WRITES.has(number)) return writeRequired('the server refuses it in a read-only transaction')
  if (TIME.has(number)) return timeOver()
  if (number === EXPIRED) return mysqlLoginFailure(error)
  return statementFailed(nameOf(error, number), undefined, error)
}

/** What the driver says while it connects and logs in. */
export function mysqlLoginFailure(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  if (isUnanswerable(error))
    return new DatabaseFailure(
      'database.query_failed',
      'The database server asks for the password in a way that cannot be answered here; with TLS it may ask otherwise.',
      { reason: 'login', condition: 'CR_AUTH_PLUGIN_ERR' },
      error,
    )
  const number = numberOf(error)
  if (number === undefined)
    return new DatabaseFailure(
      'database.query_failed',
      'The database server could not be reached.',
      { reason: 'unreachable' },
      error,
    )
  const condition = nameOf(error, number)
  return new DatabaseFailure(
    'database.query_failed',
    `The database server refused the login (${condition}).`,
    { reason: 'login', condition },
    error,
  )
}

const UNANSWERABLE = new Set<unknown>([
  'AUTH_SWITCH_PLUGIN_ERROR',
  'MYSQL_CLEAR_PASSWORD_NOT_ENABLED',
  // A password that is longer than the key with which a server without TLS wants it encrypted.
  'ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE',
])

const isUnanswerable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && UNANSWERABLE.has(error.code)

export const numberOf = (error: unknown): number | undefined => {
  const number: unknown = error instanceof Error && 'errno' in error ? error.errno : undefined
  return typeof number === 'number' && number > 0 ? number : undefined
}

const nameOf = (error: unknown, number: number): string => {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('ER_') ? code : `ER_${number}`
}
