import { getSystemErrorMap } from 'node:util'
import type { Cell } from '#/access.ts'
import { expectedToken } from '#/env.ts'
import { DatabaseFailure } from '#/failure.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { messageOf, sqliteMistake } from '#/mistakes.ts'
import { beyondDatabase, requireStatementText, statementFailed, writeRequired } from '#/statement.ts'
import type { Answer, Envelope } from './envelope.ts'
import { needsUndo } from './files.ts'
import { type OpenFile, openForRead, openForWrite } from './open.ts'
import { readSchema } from './schema.ts'
import { isPlan, requireOneSqliteStatement, requireReadVerb } from './statement.ts'
import { sqliteCell } from './values.ts'

/** Does what an envelope asks, in this process. Never throws. */
export function answer(envelope: Envelope): Answer {
  try {
    requireToken(envelope.token)
    const { ask, path } = envelope
    if (ask.kind === 'schema')
      return withReader(path, ({ database }) => ({ kind: 'schema', tables: readSchema(database) }))
    requireStatementText(ask.sql)
    requireOneSqliteStatement(ask.sql)
    if (!ask.write) requireReadVerb(ask.sql)
    if (ask.write) return write(path, ask.sql)
    return withReader(path, (file) => rowsOf(file, ask.sql), isPlan(ask.sql))
  } catch (error) {
    return failureOf(error, envelope.ask.kind === 'schema' ? '' : envelope.ask.sql)
  }
}

function requireToken(token: string): void {
  const expected = expectedToken()
  const isRight = /^[0-9a-f]{64}$/.test(token) && (expected === undefined || expected === token)
  if (!isRight)
    throw new DatabaseFailure('database.query_failed', 'The Node refused the request for its database.', {
      reason: 'login',
    })
}

/** Reads once more, with the locks of the file, when it changed under a reader without locks. */
function withReader(path: string, work: (file: OpenFile) => Answer, planned = false): Answer {
  {
    using file = openForRead(path, false, planned)
    const first = refusing(file, writeRequired, () => work(file))
    if (!file.wasDisturbed()) return first
  }
  using file = openForRead(path, true, planned)
  return refusing(file, writeRequired, () => work(file))
}

function refusing(file: OpenFile, refusal: (subject: string) => Error, work: () => Answer): Answer {
  try {
    return work()
  } catch (error) {
    const subject = file.authorizer.refused()
    throw subject === undefined ? error : refusal(subject)
  }
}

function rowsOf({ database }: OpenFile, sql: string): Answer {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(({ name }) => name)
  if (columns.length === 0) throw writeRequired('a statement without a result')
  const { rows, add } = rowsWithin()
  // as: setReturnArrays makes each row a list.
  for (const row of statement.iterate() as Iterable<readonly unknown[]>)
    if (!add(row)) return { kind: 'rows', columns, rows, truncated: true }
  return { kind: 'rows', columns, rows, truncated: false }
}

/** As many rows as the gateway may show. `add` is false for those that are no longer among them. */
function rowsWithin() {
  const rows: (readonly Cell[])[] = []
  let bytes = 0
  let isFull = false
  const add = (row: readonly unknown[]): boolean => {
    if (isFull) return false
    const cells = row.map(sqliteCell)
    bytes += Buffer.byteLength(JSON.stringify(cells))
    isFull =
      rows.length >= DATABASE_LIMITS.maxRows ||
      (bytes > 2 * DATABASE_LIMITS.maxResultBytes && rows.length > 0)
    if (!isFull) rows.push(cells)
    return !isFull
  }
  return { rows, add }
}

function write(path: string, sql: string): Answer {
  using file = openForWrite(path)
  return refusing(file, beyondDatabase, () => {
    const statement = file.database.prepare(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const columns = statement.columns().map(({ name }) => name)
    if (columns.length === 0)
      return { kind: 'rows', columns, rows: [], changes: Number(statement.run().changes), truncated: false }
    const { rows, add } = rowsWithin()
    let changes = 0
    // as: setReturnArrays makes each row a list. All of them are fetched: RETURNING has the rows before the end has come.
    for (const row of statement.iterate() as Iterable<readonly unknown[]>) {
      changes += 1
      add(row)
    }
    return { kind: 'rows', columns, rows, changes, truncated: changes > rows.length }
  })
}

function failureOf(error: unknown, sql: string): Answer {
  const failure = error instanceof DatabaseFailure ? error : engineFailure(error, sql)
  return { kind: 'failure', code: failure.code, message: failure.message, details: failure.details }
}

function engineFailure(error: unknown, sql: string): DatabaseFailure {
  const { errcode, errno } = Object(error) as { errcode?: unknown; errno?: unknown } // as: members of any object are unknown.
  // A view calls what SQLite itself takes for dangerous there.
  const [, unsafe] = /^unsafe use of (\w+)/.exec(messageOf(error)) ?? []
  if (unsafe !== undefined) return writeRequired(`the function ${unsafe}`)
  if (needsUndo(error)) return undoNeeded()
  if (errcode === SQLITE_READONLY) return writeRequired('the file is open for reading only')
  const mistake = sqliteMistake(messageOf(error), sql)
  if (typeof errcode === 'number')
    return statementFailed(NAMES[errcode & 255] ?? `SQLITE_${errcode}`, { mistake })
  const name = typeof errno === 'number' ? getSystemErrorMap().get(errno)?.[0] : undefined
  return statementFailed(name ?? 'SQLITE_ERROR')
}

/** A read changes nothing, not even this. */
const undoNeeded = (): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'A writer of the database was ended in the middle of a transaction. Whoever writes next undoes what it left: its application, or a statement with `write`. Then repeat the request.',
    { reason: 'statement', condition: 'SQLITE_READONLY_ROLLBACK' },
  )

const SQLITE_READONLY = 8
/** Primary result codes (rescode.html). */
const NAMES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  9: 'SQLITE_INTERRUPT',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  23: 'SQLITE_AUTH',
  25: 'SQLITE_RANGE',
  26: 'SQLITE_NOTADB',
}
