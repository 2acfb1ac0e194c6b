import { DATABASE_LIMITS } from '#/limits.ts'
import { DatabaseFailure } from '#/failure.ts'
import type { Mistake } from '#/mistakes.ts'

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

export interface StatementFailure {
  /** Character of the SQL, from 1, where the server saw the error. */
  readonly position?: number | undefined
  readonly mistake?: Mistake | undefined
  readonly cause?: unknown
}

/** The engine said no. `condition` is its identifier for the error. */
export function statementFailed(
  condition: string,
  { position, mistake, cause }: StatementFailure = {},
): DatabaseFailure {
  const place = position === undefined ? condition : `${condition}, at character ${position}`
  return new DatabaseFailure(
    'database.query_failed',
    `The database refused the statement (${place})${mistake ? `: ${mistake.text}` : ''}.`,
    {
      reason: 'statement',
      condition,
      ...(position === undefined ? {} : { position }),
      ...(mistake?.subject === undefined ? {} : { subject: mistake.subject }),
    },
    cause,
  )
}

/**
 * Whether a text that the engine cannot read begins with a verb that writes: one of its own (`acting`), or one with which
 * statements of other engines write, such as TRUNCATE for SQLite (DB-059).
 */
export const isWritingVerb = (verb: string, acting: ReadonlySet<string>): boolean =>
  acting.has(verb.toLowerCase()) || WRITING_ANYWHERE.has(verb.toLowerCase())

const WRITING_ANYWHERE = new Set(
  'alter call copy create delete drop grant insert load merge rename replace revoke truncate update upsert'.split(
    ' ',
  ),
)

/** Throws for text that no engine can take: empty, too long, or with a NUL, which every protocol would end it at. */
export function requireStatementText(sql: string): void {
  if (sql.length === 0) throw invalidText('is empty')
  const characters = charactersOf(sql)
  if (characters > DATABASE_LIMITS.sqlMaxLength)
    throw invalidText(`has ${characters} characters, and at most ${DATABASE_LIMITS.sqlMaxLength} are sent`)
  if (sql.includes('\0')) throw invalidText('has a NUL, which no database takes')
}

const invalidText = (problem: string): DatabaseFailure =>
  new DatabaseFailure('database.query_failed', `The statement ${problem}.`, {
    reason: 'statement',
    condition: 'invalid_text',
  })

/** Characters as people count them: one outside the basic plane is one. */
const charactersOf = (text: string): number => Array.from(text).length

/** The server, or somebody else, has ended the session: what became of the statement is not known. */
export const connectionLost = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The connection to the database broke before the statement had answered.',
    { reason: 'lost' },
    cause,
  )
