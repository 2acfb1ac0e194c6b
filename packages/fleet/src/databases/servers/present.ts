import type { DatabaseServerData } from '@fleet/contract'
import type { ServerRecord } from '#/databases/servers/record.ts'

/** The only form in which a server leaves the domain: without its root password. */
export const presentServer = (row: ServerRecord, databasesCount: number): DatabaseServerData => ({
  id: row.id,
  slug: row.slug,
  node_id: row.node_id,
  process_id: row.process_id,
  tag: row.tag,
  port: row.port,
  status: row.status,
  databases_count: databasesCount,
})
