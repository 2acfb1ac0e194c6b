import { DATABASE_LIMITS } from '#/limits.ts'
import { DatabaseFailure } from '#/failure.ts'

/** The statement is not surely a read (decision 0147). `subject` is a name or a kind of statement, never SQL. */
export const writeRequired = (subject: string): DatabaseFailure =>
  new DatabaseFailure(
    'database.write_required',
    `The statement was not run, because it is not surely a read: ${subject}. Repeat it with write to run it as it is.`,
    { reason: 'refused', subject },
  )

/** It would leave the database of the connection, so it runs neither as a read nor as a write. */
export const beyondDatabase = (subject: string): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    `The statement was not run, because it reaches beyond the database of the connection: ${subject}.`,
    { reason: 'refused', subject },
  )

/** DB-058. */
export const multipleStatements = (): DatabaseFailure =>
  new DatabaseFailure('database.sql_multiple_statements', 'Only one statement can be run at a time.', {
    reason: 'refused',
  })

/** The engine said no. `condition` is its identifier for the error. */
export const statementFailed = (condition: string, position?: number, cause?: unknown): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    position === undefined
      ? `The database refused the statement (${condition}).`
      : `The database refused the statement (${condition}, at character ${position}).`,
    { reason: 'statement', condition, ...(position === undefined ? {} : { position }) },
    cause,
  )

/** Throws for text that no engine can take: empty, too long, or with a NUL, which every protocol would end it at. */
export function requireStatementText(sql: string): void {
  if (sql.length === 0 || sql.length > DATABASE_LIMITS.sqlMaxLength || sql.includes('\0'))
    throw statementFailed('invalid_text')
}
