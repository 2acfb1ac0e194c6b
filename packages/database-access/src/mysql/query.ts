import type { Clock } from '@fleet/kernel'
import type { QueryResult, Request, ServerTarget, Statement } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { collectStatement, type StatementRows } from '#/result/rows.ts'
import { requireStatementText } from '#/statement.ts'
import { type TimeLimit, withinTime } from '#/time/time-limit.ts'
import { mysqlFailure } from './failures.ts'
import { judgeStatement, oneStatement } from './judge.ts'
import { setUp, withSession } from './open.ts'
import { requireReads } from './resolve.ts'
import type { MysqlField, MysqlSession } from './session.ts'
import { mysqlCell } from './values.ts'

/** Runs one statement on MySQL or MariaDB. Throws DatabaseFailure. */
export async function queryMysql(
  clock: Clock,
  target: ServerTarget,
  { sql, write }: Statement,
  request?: Request,
): Promise<QueryResult> {
  requireStatementText(sql)
  const rows = rowsOf(target, !write)
  const work = write ? runWrite : runRead
  return withinTime(
    { clock, request },
    (error) => mysqlFailure(error, write),
    (limit) => withSession(target, limit, (session) => work(session, target, sql, rows, limit)),
  )
}

type Work = (
  session: MysqlSession,
  target: ServerTarget,
  sql: string,
  rows: Rows,
  limit: TimeLimit,
) => Promise<QueryResult>

const runRead: Work = async (session, { database }, sql, rows, limit) => {
  const quoting = await setUp(session, limit.milliseconds)
  const named = judgeStatement(sql, quoting)
  if (named.plansWrite !== true) {
    await session.ask('set session transaction read only')
    await session.ask('start transaction read only')
  }
  await requireReads(session.ask, named, database)
  await session.ask(`set session sql_select_limit = ${DATABASE_LIMITS.maxRows + 1}`)
  await session.run(sql, rows.handler)
  return rows.result()
}

/** Bodies of routines have semicolons of their own; the server takes no second statement anyway. */
const COMPOUND = /^\s*(create|alter|begin)\b/i

const runWrite: Work = async (session, _target, sql, rows, limit) => {
  const quoting = await setUp(session, limit.milliseconds)
  if (!COMPOUND.test(sql)) oneStatement(sql, quoting)
  const affected = await session.run(sql, rows.handler)
  return rows.hasColumns() ? rows.result() : rows.result(affected)
}

type Rows = StatementRows<MysqlField, Buffer | null>

/** A read needs no further row once the result is full; a write is to come to its end. */
function rowsOf(target: ServerTarget, stops: boolean): Rows {
  const rows: Rows = collectStatement(target, mysqlCell)
  const { fields, row } = rows.handler
  return stops ? rows : { ...rows, handler: { fields, row: (given) => row(given) || true } }
}
