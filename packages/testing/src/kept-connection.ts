import { Pool } from 'pg'

/** One connection that stays open without keeping the process from ending. */
export function keptConnection(url: string, options = ''): Pool {
  const pool = new Pool({
    connectionString: url,
    options,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  })
  // It is idle when its server stops; the next query reports it.
  pool.on('error', () => undefined)
  return pool
}
