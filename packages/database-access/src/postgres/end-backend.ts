import { systemClock } from '@fleet/kernel'
import type { ServerTarget } from '#/access.ts'
import { connectPostgres, type PostgresSession } from './session.ts'

const END_MILLISECONDS = 3000
const POLL_MILLISECONDS = 50

/**
 * Ends the backend of a statement whose time is over, by another connection of the same login, and looks that it is gone.
 * Never throws: the limits of the server itself are the last resort, when no second connection can be had.
 */
export async function endBackend(target: ServerTarget, { processId }: PostgresSession): Promise<boolean> {
  const signal = AbortSignal.timeout(END_MILLISECONDS)
  try {
    using session = await connectPostgres(target, signal)
    signal.addEventListener('abort', () => session.cutOff(), { once: true })
    await session.simple(`select pg_catalog.pg_terminate_backend(${processId})`)
    const count = `select count(*) from pg_catalog.pg_stat_activity where pid = ${processId}`
    while (!signal.aborted) {
      const [row] = await session.simple(count)
      if (row?.[0] === '0') return true
      await systemClock.sleep(POLL_MILLISECONDS)
    }
  } catch {
    return false
  }
  return false
}
