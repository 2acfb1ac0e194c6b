import type { Kysely, Transaction } from 'kysely'
import type { Cipher } from './cipher.ts'
import type { Locks } from './locks.ts'
import type { Tables } from './schema.ts'

/** A handle for queries: the database itself or an open transaction. */
export type Database = Kysely<Tables> | Transaction<Tables>

/** Everything durable. Domains see this and nothing of the dialect. */
export interface Store extends AsyncDisposable {
  readonly dialect: 'sqlite' | 'postgres'
  readonly db: Kysely<Tables>
  readonly cipher: Cipher
  readonly locks: Locks
  /** Runs queries in one transaction. No remote work may happen inside: it would hold the writer. */
  transaction<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
}
