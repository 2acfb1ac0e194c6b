import { Kysely, PostgresDialect } from 'kysely'
import { Pool, types } from 'pg'
import type { Tables } from '#/schema.ts'

// PostgreSQL's own type numbers (pg_type.oid).
const BIGINT = 20
const CONNECTIONS = 10

/** A pool for the given `postgres://` address. Row identities and counts arrive as numbers, as they do from SQLite. */
export function openPostgres(url: string): Kysely<Tables> {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    types: { getTypeParser: (oid, format) => (oid === BIGINT ? Number : types.getTypeParser(oid, format)) },
  })
  // An idle connection that breaks leaves the pool; without a listener its error would end the process, and the next query reports for itself.
  pool.on('error', () => undefined)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}
