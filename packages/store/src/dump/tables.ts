import { type Kysely, sql } from 'kysely'
import type { Tables } from '#/schema.ts'

/** A table of the database with its columns, in their order. */
export interface FoundTable {
  readonly name: string
  readonly columns: readonly string[]
}

/**
 * The tables in the schema of the gateway, those of the migrator too, sorted by name: no views, no foreign tables, nothing of
 * another schema and nothing that an extension has brought.
 */
export async function tablesOfSchema(db: Kysely<Tables>): Promise<readonly FoundTable[]> {
  const { rows } = await sql<FoundTable>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and not exists (
      select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
    )
    group by c.relname`.execute(db)
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
