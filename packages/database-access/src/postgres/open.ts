import type { ServerTarget } from '#/access.ts'
import type { TimeLimit } from '#/time/time-limit.ts'
import { postgresLoginFailure } from './failures.ts'
import { endBackend } from './end-backend.ts'
import { connectPostgres, type PostgresSession } from './session.ts'

/**
 * Work on a connection of its own. When the time is over while it is running, a second connection ends the backend before
 * this rejects.
 */
export async function withSession<T>(
  target: ServerTarget,
  limit: TimeLimit,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const connecting = connectPostgres(target, limit.signal)
  // One that is connected too late is closed at once.
  const late = connecting.then((session) => limit.signal.aborted && session[Symbol.dispose]())
  late.catch(() => undefined)
  using session = await limit.race(connecting).catch((error: unknown) => {
    throw limit.signal.aborted ? limit.signal.reason : postgresLoginFailure(error)
  })
  try {
    return await limit.race(work(session))
  } catch (error) {
    if (limit.signal.aborted) {
      session.cutOff()
      await endBackend(target, session)
    }
    throw error
  }
}

/** `SET` for the limits that the server keeps by itself, in case nobody here can. */
export function serverLimits({ version }: PostgresSession, milliseconds: number): string {
  const settings = [
    `statement_timeout = ${milliseconds}`,
    `idle_in_transaction_session_timeout = ${milliseconds + 5000}`,
    ...(version >= 140_000 ? ['client_connection_check_interval = 1000'] : []),
    ...(version >= 170_000 ? [`transaction_timeout = ${milliseconds + 2000}`] : []),
  ]
  return settings.map((setting) => `set ${setting};`).join(' ')
}

/** How values are printed, so that this package can read them. */
export const PRINTING = [
  "set datestyle = 'ISO, YMD'",
  "set timezone = 'UTC'",
  "set intervalstyle = 'iso_8601'",
  'set extra_float_digits = 1',
  "set bytea_output = 'hex'",
  // What the grammar of this package reads is what the server reads.
  'set standard_conforming_strings = on',
]
  .map((setting) => `${setting};`)
  .join(' ')
