import type { DatabaseDriver, DatabaseEngine, DatabaseServerStatus, DatabaseTlsMode } from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Json, Sealed } from '#/column-types.ts'

/** Its `database_name` is the member `database`, a word of SQL. */
interface DatabaseConnectionsTable {
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
  /** The server of the fleet that has the database. */
  server_id: number | null
  owner_instance_id: number | null
  test_database: string | null
  /** The step that a creation, a clone or a removal has reached; null for a complete connection. */
  pending_step: string | null
  /** Null for `prefer`, which is what is done without a word. */
  tls: DatabaseTlsMode | null
  /** Certificates in PEM that sign the server's. */
  tls_ca: string | null
}

/** A user that the fleet created in a database (DBS-019). */
interface DatabaseUsersTable {
  id: Generated<number>
  database_connection_id: number
  username: string
  privileges: string
  created_by: string | null
  created_at: string
  /** Of PostgreSQL, through which the user may write; null for a user of an earlier version too. */
  role: string | null
}

interface DatabaseServersTable {
  id: Generated<number>
  slug: string
  node_id: number
  /** Null until its Process is stored. */
  process_id: number | null
  engine: DatabaseEngine
  tag: string
  port: number
  root_password: Sealed | null
  status: DatabaseServerStatus
  /** The last step of its creation that is done. */
  completed_step: string | null
  failed_step: string | null
  error_code: string | null
  created_at: string
}

/** A connection that an Instance uses, by the prefix of the keys that it writes. */
interface DatabaseAttachmentsTable {
  id: Generated<number>
  instance_id: number
  prefix: string
  /** Of the connection, which may be gone. */
  slug: string
  created_at: string
}

/** A database of a removed Instance on a server that did not answer. */
interface DatabaseResiduesTable {
  id: Generated<number>
  server_id: number
  database_name: string
  test_database: string | null
  username: string | null
  /** Names of those who were created in it. */
  created_users: Json<readonly string[]>
  created_at: string
}

export interface DatabaseTables {
  database_connections: DatabaseConnectionsTable
  database_users: DatabaseUsersTable
  database_servers: DatabaseServersTable
  database_attachments: DatabaseAttachmentsTable
  database_residues: DatabaseResiduesTable
}
