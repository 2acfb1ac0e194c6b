import type { Database } from '@fleet/store'
import type { ConnectionRecord } from '#/databases/record.ts'
import { serverById } from '#/databases/servers/queries.ts'

/** Slug of the server that has the database; null for a registered one (DB-015). */
export const serverSlugOf = async (
  db: Database,
  { server_id }: Pick<ConnectionRecord, 'server_id'>,
): Promise<string | null> => (server_id === null ? null : ((await serverById(db, server_id))?.slug ?? null))
