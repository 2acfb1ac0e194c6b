import { writeRequired } from '#/statement.ts'
import { anyOwnCode, LITERALS_RUN_CODE, nullsRunCode } from './early-code.ts'
import type { PostgresSession } from './session.ts'
import { asExpressions, asStatements } from './set-config.ts'
import { reading } from './settings.ts'

/** How a read begins. */
export interface StartedRead {
  /** Whether a literal may run code while it is parsed, so that names are judged without them first. */
  readonly literalsRunCode: boolean
  /** What the names of the statement mean, where it was safe to ask that at once. */
  readonly trees?: readonly string[]
}

/** Names tables, types, operators and an aggregate, so that a backend has read what most statements need. */
export const WARM_READ = `select pg_catalog.count(*) from pg_catalog.pg_class c where c.relname operator(pg_catalog.=) 'x'`

/**
 * Begins the read-only transaction, and asks what the names of a statement mean. In most databases nobody has made what runs
 * while a statement is parsed (decision 0183): there, one round trip does all of it. A division by zero keeps the server
 * from parsing in the others. Throws DatabaseFailure.
 */
export async function startRead(
  session: PostgresSession,
  sql: string | undefined,
  milliseconds: number,
): Promise<StartedRead> {
  const settings = asExpressions(reading(session, milliseconds))
  const trees = await session.start(
    [
      'begin transaction read only',
      `select ${settings}`,
      `select pg_catalog.int4div(1, ${isOrdinary(session.version)})`,
    ],
    sql,
  )
  if (trees) return { literalsRunCode: false, trees }
  await session.simple('rollback')
  return startSlowly(session, milliseconds)
}

/** 1 where names of ours mean what they mean, and no literal runs code. */
const isOrdinary = (
  version: number,
): string => `case when (pg_catalog.current_schemas(true))[1] operator(pg_catalog.=) 'pg_catalog'
  and not (${anyOwnCode(version).replaceAll(/,\s*exists/g, ' or exists')}) then 1 else 0 end`

async function startSlowly(session: PostgresSession, milliseconds: number): Promise<StartedRead> {
  const rows = await session.simple(
    `begin transaction read only; ${asStatements(reading(session, milliseconds))}
     select pg_catalog.current_schemas(true), ${anyOwnCode(session.version)}`,
  )
  const [schemas, domains, ...others] = rows[0] ?? []
  // Names of ours and of the system mean what they mean only when nothing comes before the system's schema.
  if (!/^\{(pg_temp_\d+,)?pg_catalog[,}]/.test(schemas ?? ''))
    throw writeRequired('the search path hides pg_catalog')
  if (others.length === 2 && others.every((each) => each === 'f')) return { literalsRunCode: domains !== 'f' }
  const [exact] = await session.simple(`select ${LITERALS_RUN_CODE}, ${nullsRunCode(session.version)}`)
  if (exact?.[1] !== 'f')
    throw writeRequired('a type or sampling method whose function belongs to no extension')
  return { literalsRunCode: exact[0] !== 'f' }
}
