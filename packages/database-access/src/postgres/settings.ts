import type { PostgresSession } from './session.ts'
import type { Settings } from './set-config.ts'

/** Limits that the server keeps by itself, in case nobody here can. */
export const serverLimits = ({ version }: PostgresSession, milliseconds: number): Settings => ({
  statement_timeout: `${milliseconds}`,
  idle_in_transaction_session_timeout: `${milliseconds + 5000}`,
  ...(version >= 140_000 ? { client_connection_check_interval: '1000' } : {}),
  ...(version >= 170_000 ? { transaction_timeout: `${milliseconds + 2000}` } : {}),
})

/** A disk that a read has filled stops the whole server. Who is no superuser has what the server allows him. */
const TEMPORARY_FILES = '4GB'

/** How values are printed, so that this package can read them. */
export const printing = ({ isByteEncoded }: PostgresSession): Settings => ({
  // The style alone: which of two numbers is the day is for the server, the database or the role to say.
  datestyle: 'ISO',
  timezone: 'UTC',
  intervalstyle: 'iso_8601',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // What the grammar of this package reads is what the server reads.
  standard_conforming_strings: 'on',
  // A database without an encoding has bytes that are no UTF-8; they come as they are.
  ...(isByteEncoded ? { client_encoding: 'SQL_ASCII' } : {}),
})

/**
 * Of a session that reads: the layers below the judgement, and the form in which the server prints what names mean. A
 * superuser keeps these prints out of the log of the server, and is the only one who may limit the files that a sort or join fills.
 */
export const reading = (session: PostgresSession, milliseconds: number): Settings => ({
  default_transaction_read_only: 'on',
  ...printing(session),
  ...serverLimits(session, milliseconds),
  lock_timeout: `${Math.min(milliseconds, 10_000)}`,
  ...(session.isSuperuser ? { log_min_messages: 'panic', temp_file_limit: TEMPORARY_FILES } : {}),
  transform_null_equals: 'off',
  debug_pretty_print: 'off',
})
