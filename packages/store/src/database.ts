import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** A handle for queries: the database itself or an open transaction. */
export type Database = Kysely<Tables> | Transaction<Tables>
