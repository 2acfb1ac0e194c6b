import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { findServer } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import type { LocatorsOf } from '#/handler.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly 'database-servers/{slug}': ServerRecord
  }
}

export type ServerLocators = LocatorsOf<'database-servers/{slug}'>

export const makeServerLocators = ({ db }: Pick<Store, 'db'>): ServerLocators => ({
  'database-servers/{slug}': (text) => findServer(db, text),
})

/** Throws `database.server_missing`. */
export async function requireServer(
  { db }: Pick<Store, 'db'>,
  slug: string,
  found?: ServerRecord,
): Promise<ServerRecord> {
  const server = found ?? (await findServer(db, slug))
  if (!server) throw fail('database.server_missing')
  return server
}
