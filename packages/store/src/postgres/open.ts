import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely'
import { Pool, types, TypeOverrides } from 'pg'
import { limitedPool, type QueryLimit } from '#/postgres/limited-pool.ts'
import { Sockets } from '#/postgres/sockets.ts'
import type { Tables } from '#/schema.ts'

const CONNECTIONS = 10
// A server that does not answer, or a pool all taken, must become an error while the caller still listens.
const CONNECT_MILLISECONDS = 10_000

// A server whose machine is gone, or whose packets something drops, says nothing that would end a connection.
const SILENT_MILLISECONDS = 10_000

/** A pool for the given `postgres://` address. Row identities and counts arrive as numbers, as they do from SQLite. */
export function openPostgres(
  url: string,
  plugins: KyselyPlugin[],
  limit: QueryLimit = () => undefined,
): Kysely<Tables> {
  const numbers = new TypeOverrides()
  numbers.setTypeParser(types.builtins.INT8, Number)
  const sockets = new Sockets()
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENT_MILLISECONDS,
    types: numbers,
  })
  // An idle connection that breaks leaves the pool; without a listener its error would end the process, and the next query reports for itself.
  pool.on('error', () => undefined)
  pool.on('connect', sockets.add)
  // Nor does the pool listen to a connection that somebody holds, between two queries of a transaction.
  pool.on('connect', (client) => void client.on('error', () => undefined))
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: limitedPool(pool, limit, sockets) }),
    plugins,
  })
}
