import type { Clock } from '@fleet/kernel'
import type { QueryResult, Request, ServerTarget, Statement } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { collectStatement, type StatementRows } from '#/result/rows.ts'
import { requireStatementText, writeRequired } from '#/statement.ts'
import { type TimeLimit, withinTime } from '#/time/time-limit.ts'
import type { PostgresField } from './exchange.ts'
import { postgresFailure } from './failures.ts'
import { ANY_OWN_CODE, LITERALS_RUN_CODE, NULLS_RUN_CODE } from './early-code.ts'
import { withoutLiterals } from './literals.ts'
import { PRINTING, serverLimits, withSession } from './open.ts'
import { requireReads } from './resolve.ts'
import type { PostgresSession } from './session.ts'
import { type PostgresRead, readStatement, requireOneStatement } from './statement.ts'
import { postgresCell } from './values.ts'

/** Runs one statement on PostgreSQL. Throws DatabaseFailure. */
export async function queryPostgres(
  clock: Clock,
  target: ServerTarget,
  { sql, write }: Statement,
  request?: Request,
): Promise<QueryResult> {
  requireStatementText(sql)
  const read = write ? undefined : await readStatement(sql)
  if (write) await requireOneStatement(sql)
  const rows = rowsOf(target)
  return withinTime(
    { clock, request },
    (error) => postgresFailure(error, write),
    (limit) =>
      withSession(target, limit, (session) =>
        read ? runRead(session, sql, read, rows, limit) : runWrite(session, sql, rows, limit),
      ),
  )
}

async function runRead(
  session: PostgresSession,
  sql: string,
  read: PostgresRead,
  rows: Rows,
  limit: TimeLimit,
): Promise<QueryResult> {
  const { literalsRunCode } = await prepareRead(session, limit.milliseconds)
  if (read.analyzed !== undefined) await judge(session, read.analyzed, literalsRunCode)
  // One more than is shown says whether there are more.
  await session.run(sql, DATABASE_LIMITS.maxRows + 1, rows.handler)
  return rows.result()
}

/** Where a literal may run code while it is parsed, the names around it are judged before the server sees it. */
async function judge(session: PostgresSession, sql: string, literalsRunCode: boolean): Promise<void> {
  const server = { simple: session.simple, analyze: analyzing(session, literalsRunCode) }
  await requireReads(server, await server.analyze(sql))
  if (literalsRunCode) await requireReads(server, await analyzing(session, false)(sql))
}

async function runWrite(
  session: PostgresSession,
  sql: string,
  rows: Rows,
  limit: TimeLimit,
): Promise<QueryResult> {
  await session.simple(`${PRINTING} ${serverLimits(session, limit.milliseconds)} ${encoding(session)}`)
  const tag = await session.run(sql, 0, rows.handler)
  // `INSERT 0 3`, `UPDATE 3`, `SELECT 3`: the last word is the count.
  return rows.result(Number(/ (\d+)$/.exec(tag)?.[1] ?? 0))
}

/**
 * The layers below the judgement: a read-only transaction and session, limits at the server, and the order to print what
 * every name means. A superuser keeps these prints out of the log of the server.
 */
async function prepareRead(
  session: PostgresSession,
  milliseconds: number,
): Promise<{ readonly literalsRunCode: boolean }> {
  const [row] = await session.simple(
    `begin transaction read only; set default_transaction_read_only = on; ${PRINTING}
     ${serverLimits(session, milliseconds)} set lock_timeout = ${Math.min(milliseconds, 10_000)}; ${encoding(session)}
     ${session.isSuperuser ? 'set log_min_messages = panic;' : ''}
     set transform_null_equals = off; set debug_pretty_print = off;
     select pg_catalog.current_schemas(true), ${ANY_OWN_CODE}`,
  )
  // Names of ours and of the system mean what they mean only when nothing comes before the system's schema.
  if (!/^\{(pg_temp_\d+,)?pg_catalog[,}]/.test(row?.[0] ?? ''))
    throw writeRequired('the search path hides pg_catalog')
  const [, domains, ...others] = row ?? []
  if (others.length === 2 && others.every((each) => each === 'f')) return { literalsRunCode: domains !== 'f' }
  const [exact] = await session.simple(`select ${LITERALS_RUN_CODE}, ${NULLS_RUN_CODE}`)
  if (exact?.[1] !== 'f')
    throw writeRequired('a type or sampling method whose function belongs to no extension')
  return { literalsRunCode: exact[0] !== 'f' }
}

/** Asks for the query trees of a statement or of the body of a function. `isBlank`: without its text literals. */
const analyzing =
  (session: PostgresSession, isBlank: boolean): PostgresSession['analyze'] =>
  async (sql, types) => {
    const text = isBlank ? withoutLiterals(sql) : sql
    if (text === undefined) throw writeRequired('texts that cannot be distinguished from its names')
    const trees = await session.analyze(text, types)
    if (trees.length === 0) throw writeRequired('the server does not say what its names mean')
    return trees
  }

// A database without an encoding has bytes that are no UTF-8; they come as they are.
const encoding = ({ isByteEncoded }: PostgresSession): string =>
  isByteEncoded ? "set client_encoding = 'SQL_ASCII';" : ''

type Rows = StatementRows<PostgresField, string | null>

const rowsOf = (target: ServerTarget): Rows =>
  collectStatement(target, (text, field) => postgresCell(text, field?.typeId ?? 0))
