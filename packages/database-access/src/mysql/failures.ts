import { DatabaseFailure } from '#/failure.ts'
import { messageOf, mysqlMistake } from '#/mistakes.ts'
import { connectionLost, statementFailed, writeRequired } from '#/statement.ts'
import { timeOver } from '#/time/time-limit.ts'

/** ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION and ER_READ_ONLY_MODE. */
const WRITES = new Set([1792, 1836])
/** The limit of the server: ER_STATEMENT_TIMEOUT (MariaDB) and ER_QUERY_TIMEOUT. */
const TIME = new Set([1969, 3024])
/** ER_QUERY_INTERRUPTED: by whom it does not say. */
const INTERRUPTED = 1317
/** ER_SERVER_SHUTDOWN and ER_CONNECTION_KILLED. */
const GONE = new Set([1053, 1927])

/** ER_MUST_CHANGE_PASSWORD: MariaDB lets such an account log in, and answers it nothing. */
const EXPIRED = 1820

/**
 * An error of the server, the driver or the stream as what callers get. `sql` is that of the caller, `write` whether it was to
 * write; `ended`: why the request has ended it, if it has.
 */
export function mysqlFailure(
  error: unknown,
  { sql = '', write }: { readonly sql?: string; readonly write: boolean },
  ended: DatabaseFailure | undefined,
): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const number = numberOf(error)
  if (number === undefined) return connectionLost(error)
  if (!write && WRITES.has(number)) return writeRequired('the server refuses it in a read-only transaction')
  if (TIME.has(number)) return timeOver()
  if (ended && (number === INTERRUPTED || GONE.has(number))) return ended
  if (GONE.has(number)) return connectionLost(error)
  if (number === EXPIRED) return mysqlLoginFailure(error)
  const symbol = nameOf(error, number)
  const mistake = mysqlMistake(symbol, messageOf(error), sql)
  return statementFailed(symbol, { mistake, cause: error })
}

/** What the driver says while it connects and logs in. */
export function mysqlLoginFailure(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error
  const unanswerable = UNANSWERABLE.get(codeOf(error))
  if (unanswerable !== undefined)
    return new DatabaseFailure(
      'database.query_failed',
      unanswerable,
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

const OTHER_PLUGIN =
  'The database server asks for the password by an authentication plugin that cannot be answered here. Supported are mysql_native_password, caching_sha2_password and sha256_password; ed25519, parsec, gssapi and others are not.'
const TOO_LONG =
  'The password is longer than what the key of the database server encrypts; with TLS it is sent without that key.'

/** By the code of the driver. */
const UNANSWERABLE: ReadonlyMap<unknown, string> = new Map([
  ['AUTH_SWITCH_PLUGIN_ERROR', OTHER_PLUGIN],
  ['MYSQL_CLEAR_PASSWORD_NOT_ENABLED', OTHER_PLUGIN],
  ['ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE', TOO_LONG],
])

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

export const numberOf = (error: unknown): number | undefined => {
  const number: unknown = error instanceof Error && 'errno' in error ? error.errno : undefined
  return typeof number === 'number' && number > 0 ? number : undefined
}

const nameOf = (error: unknown, number: number): string => {
  const code = codeOf(error)
  return typeof code === 'string' && code.startsWith('ER_') ? code : `ER_${number}`
}
