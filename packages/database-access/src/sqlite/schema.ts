import type { DatabaseSync } from 'node:sqlite'
import type { Column, TableColumns } from '#/access.ts'

/** Tables and views with their columns, sorted; those of SQLite itself and of full-text indexes are left out. */
export function readSchema(database: DatabaseSync): readonly TableColumns[] {
  const statement = database.prepare(
    `select t.name as "table", c.name, c.type, c."notnull" as "required", c.dflt_value as "default", c.pk
      from pragma_table_list t join pragma_table_xinfo(t.name, t.schema) c
      where t.schema = 'main' and t.type in ('table', 'view', 'virtual') and t.name not like 'sqlite\\_%' escape '\\'
      order by t.name, c.cid`,
  )
  const tables = new Map<string, Column[]>()
  for (const row of statement.iterate()) {
    const columns = tables.get(String(row['table'])) ?? []
    columns.push({
      name: String(row['name']),
      type: String(row['type']),
      nullable: row['required'] === 0,
      default: row['default'] === null ? null : String(row['default']),
      primary: row['pk'] !== 0,
    })
    tables.set(String(row['table']), columns)
  }
  return [...tables].map(([name, columns]) => ({ name, columns }))
}
