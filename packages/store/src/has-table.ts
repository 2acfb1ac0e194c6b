import { type Kysely, sql } from 'kysely'
import type { DialectName } from '#/migrations/types.ts'

/** Whether the database has the table, which one that was never migrated lacks. */
export async function hasTable<DB>(db: Kysely<DB>, dialect: DialectName, name: string): Promise<boolean> {
  const query =
    dialect === 'sqlite'
      ? sql<{
          found: number
        }>`select count(*) as found from sqlite_master where type = 'table' and name = ${name}`
      : sql<{ found: number }>`select count(*) as found where to_regclass(${name}) is not null`
  const { rows } = await query.execute(db)
  return Number(rows[0]?.found) > 0
}
