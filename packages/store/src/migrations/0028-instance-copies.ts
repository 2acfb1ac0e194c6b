import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '#/migrations/types.ts'

/** How each Instance came to be, and what a copy was made from. */
export async function instanceCopies(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const statements = [
    sql`alter table instances add column creation ${text} not null default 'repository'`,
    sql`alter table instances add column copy ${text}`,
    sql`update instances set creation = 'clone' where clone is not null`,
    sql`update instances set creation = 'register' where id in (select instance_id from instance_registrations)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
