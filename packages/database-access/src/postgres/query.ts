import { parseSync } from 'libpg-query'
import type { QueryResult, Request, ServerTarget, Statement } from '#/access.ts'
import { withSession } from '#/connection/with-session.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { collectStatement, type StatementRows } from '#/result/rows.ts'
import { requireStatementText, writeRequired } from '#/statement.ts'
import { type TimeLimit, withinTime } from '#/time/time-limit.ts'
import type { PostgresField } from './exchange.ts'
import { postgresFailure } from './failures.ts'
import type { PostgresEngine } from './engine.ts'
import { answersJsonAsOwnType } from './json-types.ts'
import { withoutLiterals } from './literals.ts'
import { startRead } from './read-start.ts'
import { type Remains, requireReads, type Server } from './resolve.ts'
import type { PostgresSession } from './session.ts'
import { asStatements } from './set-config.ts'
import { printing, serverLimits } from './settings.ts'
import { type PostgresRead, readStatement, requireOneStatement } from './statement.ts'
import { postgresCell } from './values.ts'

/** Runs one statement on PostgreSQL. Throws DatabaseFailure. */
export async function queryPostgres(
  engine: PostgresEngine,
  target: ServerTarget,
  { sql, write }: Statement,
  request?: Request,
): Promise<QueryResult> {
  requireStatementText(sql)
  const read = write ? undefined : await readStatement(sql)
  if (write) await requireOneStatement(sql)
  return withinTime(
    { clock: engine.clock, request },
    (error, ended) => postgresFailure(error, { sql, write }, ended),
    (limit) =>
      withSession(
        engine,
        { target, limit },
        {
          prepare: (session) => (read ? prepareRead(session, read, limit) : prepareWrite(session, limit)),
          run: (session, remains) =>
            read ? runRead(session, { sql, ...read }, remains) : runWrite(session, sql),
          leavesNothing: (prepared) => prepared === 'leaves nothing',
        },
      ),
  )
}

/** Everything before the run: the layers below the judgement, and the judgement. */
async function prepareRead(
  session: PostgresSession,
  { kind, analyzed }: PostgresRead,
  limit: TimeLimit,
): Promise<Remains> {
  const { literalsRunCode, trees } = await startRead(session, analyzed, limit.milliseconds)
  if (analyzed === undefined) return 'unknown'
  const remains = await judge(session, analyzed, literalsRunCode, trees)
  return kind === 'select' ? remains : 'unknown'
}

async function runRead(
  session: PostgresSession,
  { sql, template }: PostgresRead & { readonly sql: string },
  remains: Remains,
): Promise<QueryResult> {
  const rows = rowsOf(session)
  // One more than is shown says whether there are more.
  const maxRows = DATABASE_LIMITS.maxRows + 1
  if (template !== undefined) await session.runTemplate(template, rows.handler)
  else await session.run(sql, { maxRows, rollsBack: remains === 'leaves nothing' }, rows.handler)
  return rows.result()
}

/** Where a literal may run code while it is parsed, the names around it are judged before the server sees it. */
async function judge(
  session: PostgresSession,
  sql: string,
  literalsRunCode: boolean,
  trees: readonly string[] | undefined,
): Promise<Remains> {
  const server = serverOf(session, literalsRunCode)
  const remains = await requireReads(server, trees ? requireTrees(trees) : await server.analyze(sql))
  if (!literalsRunCode) return remains
  const whole = { ...serverOf(session, false), blank: server }
  const ofLiterals = await requireReads(whole, await whole.analyze(sql))
  return remains === 'unknown' ? remains : ofLiterals
}

async function prepareWrite(session: PostgresSession, { milliseconds }: TimeLimit): Promise<Remains> {
  await session.simple(asStatements({ ...printing(session), ...serverLimits(session, milliseconds) }))
  return 'unknown'
}

async function runWrite(session: PostgresSession, sql: string): Promise<QueryResult> {
  const rows = rowsOf(session)
  const tag = await session.run(sql, { maxRows: 0 }, rows.handler)
  // `INSERT 0 3`, `UPDATE 3`, `SELECT 3`: the last word is the count.
  return rows.result(Number(/ (\d+)$/.exec(tag)?.[1] ?? 0))
}

const serverOf = (session: PostgresSession, isBlank: boolean): Server => ({
  simple: session.simple,
  planned: session.planned,
  analyze: analyzing(session, isBlank),
})

/** Asks for the query trees of a statement or of the body of a function. `isBlank`: without its text literals. */
const analyzing =
  (session: PostgresSession, isBlank: boolean): PostgresSession['analyze'] =>
  async (sql, types, within) => {
    return requireTrees(await session.analyze(isBlank ? blanked(sql) : sql, types, within))
  }

/** The text without its literals, where nothing in it runs code while the server parses it. */
function blanked(sql: string): string {
  const tree: unknown = parseSync(sql)
  if (answersJsonAsOwnType(tree))
    throw writeRequired('JSON_VALUE or JSON_TABLE with a type that may be a domain')
  const text = withoutLiterals(sql, tree)
  if (text === undefined) throw writeRequired('texts that cannot be distinguished from its names')
  return text
}

function requireTrees(trees: readonly string[]): readonly string[] {
  if (trees.length > 0) return trees
  throw writeRequired('the server does not say what its names mean')
}

const rowsOf = ({ redact }: PostgresSession): StatementRows<PostgresField, string | null> =>
  collectStatement(redact(), (text, field) => postgresCell(text, field?.typeId ?? 0))
