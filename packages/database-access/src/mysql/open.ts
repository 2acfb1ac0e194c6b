import { systemClock } from '@fleet/kernel'
import type { ServerTarget } from '#/access.ts'
import type { TimeLimit } from '#/time/time-limit.ts'
import { mysqlLoginFailure } from './failures.ts'
import { quotingOf } from './resolve.ts'
import { connectMysql, type MysqlSession } from './session.ts'
import type { QuotingMode } from './tokens.ts'

/**
 * Work on a connection of its own. When the time is over while it is running, a second connection kills it at the server
 * before this rejects.
 */
export async function withSession<T>(
  target: ServerTarget,
  limit: TimeLimit,
  work: (session: MysqlSession) => Promise<T>,
): Promise<T> {
  const connecting = connectMysql(target, limit.signal)
  const late = connecting.then((session) => limit.signal.aborted && session[Symbol.dispose]())
  late.catch(() => undefined)
  using session = await limit.race(connecting).catch((error: unknown) => {
    throw limit.signal.aborted ? limit.signal.reason : mysqlLoginFailure(error)
  })
  try {
    return await limit.race(work(session))
  } catch (error) {
    if (limit.signal.aborted) await killThread(target, session.threadId)
    throw error
  }
}

const KILL_MILLISECONDS = 3000
const POLL_MILLISECONDS = 50

/** Never throws: where no second connection can be had, the limits of the server are the last resort. */
export async function killThread(target: ServerTarget, threadId: number): Promise<boolean> {
  const signal = AbortSignal.timeout(KILL_MILLISECONDS)
  try {
    using session = await connectMysql(target, signal)
    await session.ask(`kill ${threadId}`).catch(() => undefined)
    while (!signal.aborted) {
      const rows = await session.ask(`select id from information_schema.processlist where id = ${threadId}`)
      if (rows.length === 0) return true
      await systemClock.sleep(POLL_MILLISECONDS)
    }
  } catch {
    return false
  }
  return false
}

/** Grammars of other products: what a word means would change with them. */
const FOREIGN_MODES = new Set('ORACLE MSSQL DB2 POSTGRESQL MAXDB IGNORE_SPACE'.split(' '))

/** Sets the session up alike for every statement, and resolves with how it reads quotes. */
export async function setUp(session: MysqlSession, milliseconds: number): Promise<QuotingMode> {
  const [row] = await session.ask('select @@version, @@sql_mode')
  const [version, given] = row ?? []
  const modes = (given ?? '').split(',').filter((mode) => mode !== '' && !FOREIGN_MODES.has(mode))
  const isMariadb = /mariadb/i.test(version ?? '')
  const limit = isMariadb
    ? `max_statement_time = ${milliseconds / 1000}`
    : `max_execution_time = ${milliseconds}`
  const wait = Math.max(1, Math.ceil(milliseconds / 1000))
  await session.ask(
    `set names utf8mb4, sql_mode = '${modes.join(',')}', time_zone = '+00:00', ${limit}, lock_wait_timeout = ${wait},
      innodb_lock_wait_timeout = ${wait}, net_write_timeout = ${wait}`,
  )
  return quotingOf(modes.join(','))
}
