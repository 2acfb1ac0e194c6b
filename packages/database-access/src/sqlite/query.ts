import type { Clock, Ids } from '@fleet/kernel'
import type { Cell, FileTarget, QueryResult, Request, Statement, TableColumns } from '#/access.ts'
import { DatabaseFailure, type FailureCode } from '#/failure.ts'
import { asBinary } from '#/result/cells.ts'
import { makeRedact } from '#/result/redact.ts'
import { collectRows } from '#/result/rows.ts'
import { requireStatementText } from '#/statement.ts'
import { startTimeLimit } from '#/time/time-limit.ts'
import { type Answer, type Envelope, readAnswer } from './envelope.ts'
import { requireOneSqliteStatement, requireReadVerb } from './statement.ts'

export interface SqliteDeps {
  readonly clock: Clock
  readonly ids: Ids
}

/** Runs one statement on a SQLite file. Throws DatabaseFailure. */
export async function querySqlite(
  deps: SqliteDeps,
  target: FileTarget,
  { sql, write }: Statement,
  request?: Request,
): Promise<QueryResult> {
  requireStatementText(sql)
  requireOneSqliteStatement(sql)
  if (!write) requireReadVerb(sql)
  const answer = await ask(deps, target, { kind: 'query', sql, write }, request)
  if (answer.kind !== 'rows') throw unreadable()
  const rows = collectRows(answer.columns, makeRedact(target.password?.reveal()))
  const isComplete = answer.rows.every((row) => rows.add(row.map(received)))
  const result = rows.result(answer.changes)
  return { ...result, truncated: answer.truncated || !isComplete }
}

/** SQLite has no JSON values: what is no scalar is bytes. */
const received = (cell: Cell): Cell =>
  typeof cell === 'object' && cell !== null && 'base64' in cell && typeof cell.base64 === 'string'
    ? asBinary({ ...cell, base64: cell.base64 })
    : cell

/** Every table of a SQLite file. */
export async function inspectSqlite(
  deps: SqliteDeps,
  target: FileTarget,
  request?: Request,
): Promise<readonly TableColumns[]> {
  const answer = await ask(deps, target, { kind: 'schema' }, request)
  if (answer.kind !== 'schema') throw unreadable()
  return answer.tables
}

async function ask(
  { clock, ids }: SqliteDeps,
  { path, run }: FileTarget,
  question: Envelope['ask'],
  request?: Request,
): Promise<Exclude<Answer, { kind: 'failure' }>> {
  using limit = startTimeLimit(clock, request)
  const envelope: Envelope = {
    token: ids.hex(32),
    path,
    timeoutMilliseconds: limit.milliseconds,
    ask: question,
  }
  const output = await limit
    .race(run(`${JSON.stringify(envelope)}\n`, limit.signal))
    .catch((error: unknown) => {
      throw error instanceof DatabaseFailure ? error : unreachable(error)
    })
  const answer = readAnswer(output)
  if (!answer) throw unreadable()
  if (answer.kind === 'failure')
    throw new DatabaseFailure(answer.code as FailureCode, answer.message, answer.details) // as: a code of this package's own command.
  return answer
}

const unreachable = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The command that reads the SQLite file could not be run on its Node.',
    { reason: 'unreachable' },
    cause,
  )

const unreadable = (): DatabaseFailure =>
  new DatabaseFailure(
    'database.query_failed',
    'The answer of the Node about its SQLite file is incomplete.',
    {
      reason: 'protocol',
    },
  )
