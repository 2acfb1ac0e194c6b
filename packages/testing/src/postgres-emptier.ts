import type { Pool } from 'pg'
import { keptConnection } from './kept-connection.ts'

/** What deletes every row of a database and begins its identities anew; it ends the other connections to it first. */
export async function makeEmptier(url: string): Promise<() => Promise<void>> {
  // Without triggers the order of the tables does not matter.
  const client = keptConnection(url, '-c session_replication_role=replica')
  const tables = await namesOf(client, TABLES)
  const sequences = await namesOf(client, SEQUENCES)
  const deletes = tables.map((table, index) => `deleted_${index} as (delete from ${table})`)
  const starts = sequences.map((sequence) => `setval('${sequence}', 1, false)`)
  // Prepared, so planned once; deleting is quicker than truncating, which makes new files.
  const text = `with ${deletes.join(', ')} select ${starts.join(', ')}`
  return async () => {
    await client.query(ALONE)
    await client.query({ name: 'empty', text })
  }
}

const ALONE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const TABLES = `select quote_ident(tablename) as name from pg_tables
  where schemaname = 'public' and tablename not like 'kysely%'`

const SEQUENCES = `select quote_ident(sequencename) as name from pg_sequences where schemaname = 'public'`

const namesOf = async (client: Pool, query: string): Promise<readonly string[]> =>
  (await client.query<{ name: string }>(query)).rows.map(({ name }) => name)
