import { type Clock, systemClock } from '@fleet/kernel'
import type { Engine } from '#/connection/with-session.ts'
import { DatabaseFailure } from '#/failure.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { Spares } from '#/spares/spares.ts'
import { mysqlLoginFailure, numberOf } from './failures.ts'
import { connectMysql, type MysqlSession } from './session.ts'
import { type KnownSession, READ_ONLY, setUp } from './set-up.ts'

export type MysqlEngine = Engine<MysqlSession, KnownSession>

export const makeMysqlEngine = (clock: Clock): MysqlEngine => ({
  clock,
  spares: new Spares({ clock, isFull }),
  connect: connectMysql,
  makeReady: async (session) => {
    const milliseconds = DATABASE_LIMITS.timeoutMilliseconds
    const known = await setUp(session, milliseconds, undefined)
    await session.ask(READ_ONLY)
    const [row] = await session.ask('select @@global.max_connections, @@session.max_user_connections')
    return {
      session,
      known,
      closed: session.closed,
      // 0 is no limit of the account.
      warm: () => Promise.resolve(Number.POSITIVE_INFINITY),
      maxConnections: Math.min(...(row ?? []).map(Number).filter((limit) => limit > 0)),
      [Symbol.dispose]: () => session[Symbol.dispose](),
    }
  },
  end,
  loginFailure: mysqlLoginFailure,
  isFull,
  isLost,
})

/** ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED. */
const FULL = new Set<unknown>([1040, 1203, 1226])
/** ER_SERVER_SHUTDOWN, ER_NORMAL_SHUTDOWN, ER_ABORTING_CONNECTION, ER_NEW_ABORTING_CONNECTION, ER_CONNECTION_KILLED, ER_CLIENT_INTERACTION_TIMEOUT. */
const GONE = new Set<unknown>([1053, 1077, 1152, 1184, 1927, 4031])

function isFull(error: unknown): boolean {
  return FULL.has(numberOf(error))
}

function isLost(error: unknown): boolean {
  const number = numberOf(error)
  return number === undefined ? !(error instanceof DatabaseFailure) : GONE.has(number)
}

const POLL_MILLISECONDS = 50

/** Kills a thread by another connection of the same login, and looks that it is gone. */
async function end({ threadId }: MysqlSession, by: MysqlSession): Promise<void> {
  await by.ask(`kill ${threadId}`).catch(() => undefined)
  for (;;) {
    const rows = await by.ask(`select id from information_schema.processlist where id = ${threadId}`)
    if (rows.length === 0) return
    await systemClock.sleep(POLL_MILLISECONDS)
  }
}
