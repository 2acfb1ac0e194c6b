/** Codes of the contract that this package throws. */
export type FailureCode =
  | 'database.sql_multiple_statements'
  | 'database.write_required'
  | 'database.table_missing'
  | 'database.query_failed'

/**
 * Why a statement has no result, for people and programs. `refused`: not surely a read. `statement`: the server answered
 * with an error. `time`: its time was over. `cancelled`: the caller's signal. `unreachable`: no connection. `tls`: no TLS, or
 * a certificate that was not accepted. `login`: the
 * server did not take the login. `lost`: the connection broke, so the outcome of a write is unknown. `protocol`: an
 * answer that cannot be read. `missing`: no such table or file.
 */
export type FailureReason =
  | 'refused'
  | 'statement'
  | 'time'
  | 'cancelled'
  | 'unreachable'
  | 'tls'
  | 'login'
  | 'lost'
  | 'protocol'
  | 'missing'

/** Facts that may be shown: identifiers of conditions, never SQL, values or text of a server. */
export interface FailureDetails {
  readonly reason: FailureReason
  /** Its time was over and the server did not end it: it may go on there. */
  readonly still_running?: true
  /** SQLSTATE, or the symbol of the engine as `ER_NO_SUCH_TABLE` or `SQLITE_BUSY`. */
  readonly condition?: string
  /** Character of the SQL, from 1, where the server saw the error. */
  readonly position?: number
  /**
   * Of a refusal what was called that is not surely a read: the name of a function, operator, type or relation, or a kind of
   * statement. Of an error of the engine the name in the statement that it is about.
   */
  readonly subject?: string
}

/** Causes are logged: what a server says of a statement or a login may hold values and passwords, a broken stream may not. */
const HAS_OWN_CAUSE: ReadonlySet<FailureReason> = new Set(['unreachable', 'lost', 'cancelled', 'missing'])

/** The only error of this package. Its message is safe text: no password, no SQL, no text of a server (API-011). */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure'
  readonly code: FailureCode
  readonly details: FailureDetails
  constructor(code: FailureCode, message: string, details: FailureDetails, cause?: unknown) {
    super(message, HAS_OWN_CAUSE.has(details.reason) ? { cause } : undefined)
    this.code = code
    this.details = details
  }
}
