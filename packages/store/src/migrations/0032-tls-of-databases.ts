import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** Whether a registered database is spoken to in TLS, and which certificates have to sign its own. */
export async function tlsOfDatabases(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await sql`alter table database_connections add column tls ${text}`.execute(db)
  await sql`alter table database_connections add column tls_ca ${text}`.execute(db)
}
