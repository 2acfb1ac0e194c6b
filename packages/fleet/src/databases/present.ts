import type { DatabaseConnectionData, DatabaseUserData } from '@fleet/contract'
import type { ConnectionRecord, DatabaseUserRecord } from '#/databases/record.ts'

/** The only form in which a connection leaves the domain: without its password (DB-002). */
export const presentConnection = (
  row: ConnectionRecord,
  server: string | null = null,
): DatabaseConnectionData => ({
  id: row.id,
  slug: row.slug,
  driver: row.driver,
  node_id: row.node_id,
  host: row.host,
  port: row.port,
  database: row.database_name,
  path: row.path,
  username: row.username,
  has_password: row.password !== null,
  server,
  owner_instance_id: row.owner_instance_id,
  test_database: row.test_database,
  ...(row.tls === null ? {} : { tls: row.tls }),
  ...(row.tls_ca === null ? {} : { has_tls_ca: true }),
})

export const presentUser = (row: DatabaseUserRecord): DatabaseUserData => ({
  id: row.id,
  database_connection_id: row.database_connection_id,
  username: row.username,
  privileges: row.privileges,
  created_by: row.created_by,
  created_at: row.created_at,
})
