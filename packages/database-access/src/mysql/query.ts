import type { QueryResult, Request, ServerTarget, Statement } from '#/access.ts'
import { withSession } from '#/connection/with-session.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { makeRedact } from '#/result/redact.ts'
import { collectStatement, type StatementRows } from '#/result/rows.ts'
import { requireStatementText } from '#/statement.ts'
import { type TimeLimit, withinTime } from '#/time/time-limit.ts'
import { hasBody } from './bodied.ts'
import { mysqlFailure } from './failures.ts'
import { judgeStatement, oneStatement } from './judge.ts'
import type { MysqlEngine } from './engine.ts'
import { type KnownSession, READ_ONLY, READ_WRITE, setUp } from './set-up.ts'
import { requireReads } from './resolve.ts'
import type { MysqlField, MysqlSession } from './session.ts'
import { mysqlCell } from './values.ts'

/** Runs one statement on MySQL or MariaDB. Throws DatabaseFailure. */
export async function queryMysql(
  engine: MysqlEngine,
  target: ServerTarget,
  { sql, write }: Statement,
  request?: Request,
): Promise<QueryResult> {
  requireStatementText(sql)
  const rows = rowsOf(target, !write)
  return withinTime(
    { clock: engine.clock, request },
    (error, ended) => mysqlFailure(error, { sql, write }, ended),
    (limit) =>
      withSession(
        engine,
        { target, limit },
        {
          prepare: (session, known) =>
            write
              ? prepareWrite(session, sql, limit, known)
              : prepareRead(session, { sql, database: target.database }, limit, known),
          run: (session) => (write ? runWrite(session, sql, rows) : runRead(session, sql, rows)),
        },
      ),
  )
}

async function prepareRead(
  session: MysqlSession,
  { sql, database }: { readonly sql: string; readonly database: string },
  { milliseconds }: TimeLimit,
  known: KnownSession | undefined,
): Promise<void> {
  const { quoting, isMariadb } = await setUp(session, milliseconds, known)
  const named = judgeStatement(sql, quoting)
  if (named.plansWrite === true) {
    if (known) await session.ask(READ_WRITE)
  } else {
    if (!known) await session.ask(READ_ONLY)
    await session.ask('start transaction read only')
  }
  await requireReads({ ask: session.ask, database, isMariadb }, named)
  // A plan made with it would not be the plan that the application gets.
  if (named.isQuery === true)
    await session.ask(`set session sql_select_limit = ${DATABASE_LIMITS.maxRows + 1}`)
}

async function runRead(session: MysqlSession, sql: string, rows: Rows): Promise<QueryResult> {
  await session.run(sql, rows.handler)
  return rows.result()
}

async function prepareWrite(
  session: MysqlSession,
  sql: string,
  { milliseconds }: TimeLimit,
  known: KnownSession | undefined,
): Promise<void> {
  const { quoting } = await setUp(session, milliseconds, known)
  if (known) await session.ask(READ_WRITE)
  if (!hasBody(sql, quoting)) oneStatement(sql, quoting)
}

async function runWrite(session: MysqlSession, sql: string, rows: Rows): Promise<QueryResult> {
  const affected = await session.run(sql, rows.handler)
  // Of RETURNING the server counts nothing.
  return rows.result(rows.hasColumns() ? rows.given() : affected)
}

interface Rows extends StatementRows<MysqlField, Buffer | null> {
  /** Rows that the server sent, also those that are not in the result. */
  given(): number
}

/** A read needs no further row once the result is full; a write is to come to its end. */
function rowsOf(target: ServerTarget, stops: boolean): Rows {
  const rows: StatementRows<MysqlField, Buffer | null> = collectStatement(
    makeRedact(target.password.reveal(), target.username),
    mysqlCell,
  )
  let given = 0
  return {
    ...rows,
    given: () => given,
    handler: {
      fields: (fields) => {
        given = 0
        rows.handler.fields(fields)
      },
      row: (row) => {
        given += 1
        return rows.handler.row(row) || !stops
      },
    },
  }
}
