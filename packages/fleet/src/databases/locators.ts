import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { findConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { LocatorsOf } from '#/handler.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly 'database-connections/{slug}': ConnectionRecord
  }
}

export type DatabaseLocators = LocatorsOf<'database-connections/{slug}'>

export const makeDatabaseLocators = ({ db }: Pick<Store, 'db'>): DatabaseLocators => ({
  'database-connections/{slug}': (text) => findConnection(db, text),
})

/** The connection that a path located, or else the one of the slug. Throws `database.not_found`. */
export async function requireConnection(
  { db }: Pick<Store, 'db'>,
  slug: string,
  found: { readonly slug: ConnectionRecord } | undefined,
): Promise<ConnectionRecord> {
  const connection = found?.slug ?? (await findConnection(db, slug))
  if (!connection) throw fail('database.not_found')
  return connection
}
