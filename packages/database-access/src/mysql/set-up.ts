import { quotingOf } from './resolve.ts'
import type { MysqlSession } from './session.ts'
import type { QuotingMode } from './tokens.ts'

/** Grammars of other products: what a word means would change with them. */
const FOREIGN_MODES = new Set('ORACLE MSSQL DB2 POSTGRESQL MAXDB IGNORE_SPACE'.split(' '))

/** What was set and asked before the statement of a session came. */
export interface KnownSession {
  readonly quoting: QuotingMode
  readonly isMariadb: boolean
  readonly milliseconds: number
}

export const READ_ONLY = 'set session transaction read only'
export const READ_WRITE = 'set session transaction read write'

/** Sets the session up alike for every statement, where that was not done before. Resolves with what is known of it then. */
export async function setUp(
  session: MysqlSession,
  milliseconds: number,
  known: KnownSession | undefined,
): Promise<KnownSession> {
  if (known?.milliseconds === milliseconds) return known
  const [row] = await session.ask('select @@version, @@sql_mode')
  const [version, given] = row ?? []
  const modes = (given ?? '').split(',').filter((mode) => mode !== '' && !FOREIGN_MODES.has(mode))
  const isMariadb = /mariadb/i.test(version ?? '')
  const limit = isMariadb
    ? `max_statement_time = ${milliseconds / 1000}`
    : `max_execution_time = ${milliseconds}`
  const wait = Math.max(1, Math.ceil(milliseconds / 1000))
  await session.ask(
    `set names utf8mb4, autocommit = 1, sql_mode = '${modes.join(',')}', time_zone = '+00:00', ${limit}, lock_wait_timeout = ${wait},
      innodb_lock_wait_timeout = ${wait}, net_write_timeout = ${wait}`,
  )
  return { quoting: quotingOf(modes.join(',')), isMariadb, milliseconds }
}
