import type { Kysely, Transaction } from 'kysely'
import type { Cipher } from './cipher.ts'
import type { Locks } from './locks.ts'
import type { DialectName } from './migrations/types.ts'
import type { Tables } from './schema.ts'
import type { Work } from './work/work.ts'

/** Everything durable. Domains see this and nothing of the dialect. */
export interface Store extends AsyncDisposable {
  readonly dialect: DialectName
  /**
   * A committed write survives a power cut. Plain selects never wait; on SQLite they see the last committed state while
   * a transaction is open.
   */
  readonly db: Kysely<Tables>
  /** The same database for rows that may be lost in a power cut, but not by a killed process: Activities of reads, locks. */
  readonly relaxed: Kysely<Tables>
  readonly cipher: Cipher
  readonly locks: Locks
  readonly work: Work
  /** False while the database does not answer or takes no write. Never throws. */
  answers(): Promise<boolean>
  /**
   * Runs queries in one transaction. No remote work may happen inside: it would hold the writer. A write through `db`
   * inside would wait for its own transaction, so SQLite refuses it.
   */
  transaction<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>
}
