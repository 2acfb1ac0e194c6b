import { type Clock, systemClock } from '@fleet/kernel'
import type { Engine, ReadySession } from '#/connection/with-session.ts'
import { DatabaseFailure } from '#/failure.ts'
import { Spares } from '#/spares/spares.ts'
import { ServerError } from './exchange.ts'
import { postgresLoginFailure } from './failures.ts'
import { startRead, WARM_READ } from './read-start.ts'
import { requireReads } from './resolve.ts'
import { connectPostgres, type PostgresSession } from './session.ts'

/** Nothing is known of a spare but that its backend has the catalogs at hand. */
export type PostgresEngine = Engine<PostgresSession, 'ready'>

export const makePostgresEngine = (clock: Clock): PostgresEngine => {
  const asked = new WeakMap<PostgresSession, Asked>()
  return {
    clock,
    spares: new Spares({ clock, isFull }),
    connect: connectPostgres,
    makeReady: (session) => ready(session, asked),
    renew: async (session) => {
      await session.reset()
      return ready(session, asked)
    },
    end,
    loginFailure: postgresLoginFailure,
    isFull,
    isLost,
  }
}

/** How many connections the server allows, and how many this login may have: each is asked once for a session. */
interface Asked {
  readonly maxConnections: number
  allowed?: number
}

async function ready(
  session: PostgresSession,
  asked: WeakMap<PostgresSession, Asked>,
): Promise<ReadySession<PostgresSession, 'ready'>> {
  const known: Asked = asked.get(session) ?? { maxConnections: await maxConnections(session) }
  asked.set(session, known)
  return {
    session,
    known: 'ready',
    closed: session.closed,
    maxConnections: known.maxConnections,
    warm: async () => (known.allowed ??= await warmUp(session)),
    [Symbol.dispose]: () => session[Symbol.dispose](),
  }
}

/** too_many_connections: of the server, the database or the role. */
function isFull(error: unknown): boolean {
  return conditionOf(error) === '53300'
}

/** What the server says when it ends a session: operator_intervention, connection_exception. */
function isLost(error: unknown): boolean {
  return error instanceof ServerError ? /^(57P|08)/.test(error.sqlState) : !(error instanceof DatabaseFailure)
}

const conditionOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/**
 * Runs a read of ours as any other would run, up to its judgement: a new backend has none of its catalogs at hand, and the
 * first read pays for it. Resolves with the number of connections that the role and the database may have.
 */
async function warmUp(session: PostgresSession): Promise<number> {
  const { trees = [] } = await startRead(session, WARM_READ, WARM_MILLISECONDS)
  await requireReads(session, trees).catch(() => undefined)
  const [row] = await session.simple(`rollback; ${LIMITS}`)
  return Math.min(
    ...(row ?? []).flatMap((limit) => (limit === null || Number(limit) < 0 ? [] : [Number(limit)])),
  )
}

async function maxConnections(session: PostgresSession): Promise<number> {
  const [row] = await session.simple(`select pg_catalog.current_setting('max_connections')`)
  return Number(row?.[0] ?? 0)
}

const WARM_MILLISECONDS = 10_000
const LIMITS = `select (select r.rolconnlimit from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) current_user),
  (select d.datconnlimit from pg_catalog.pg_database d where d.datname operator(pg_catalog.=) pg_catalog.current_database())`

const POLL_MILLISECONDS = 50

/** Ends a backend by another connection of the same login, and looks that it is gone. */
async function end({ processId }: PostgresSession, by: PostgresSession): Promise<void> {
  await by.simple(`select pg_catalog.pg_terminate_backend(${processId})`)
  const count = `select count(*) from pg_catalog.pg_stat_activity where pid = ${processId}`
  for (;;) {
    const [row] = await by.simple(count)
    if (row?.[0] === '0') return
    await systemClock.sleep(POLL_MILLISECONDS)
  }
}
