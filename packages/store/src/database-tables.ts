import type { DatabaseDriver } from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Sealed } from '#/column-types.ts'

/** Its `database_name` is the member `database`, a word of SQL. */
export interface DatabaseConnectionsTable {
  id: Generated<number>
  slug: string
  driver: DatabaseDriver
  /** May be that of a Node that was removed. */
  node_id: number | null
  host: string | null
  port: number | null
  database_name: string | null
  path: string | null
  username: string | null
  password: Sealed | null
  created_at: string
}

/** A user that the fleet created in a database (DBS-019). */
export interface DatabaseUsersTable {
  id: Generated<number>
  database_connection_id: number
  username: string
  privileges: string
  created_by: string | null
  created_at: string
}
