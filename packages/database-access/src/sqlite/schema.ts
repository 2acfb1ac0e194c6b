import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Column, TableColumns } from '#/access.ts'

/** Tables and views with their columns, sorted; those of SQLite itself and of full-text indexes are left out. */
export function readSchema(database: DatabaseSync): readonly TableColumns[] {
  const names = database
    .prepare(
      `select name from pragma_table_list where schema = 'main' and type in ('table', 'view', 'virtual')
        and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
    .all()
    .map(({ name }) => String(name))
  const columns = database.prepare(
    'select name, type, "notnull" as "required", dflt_value, pk from pragma_table_xinfo(?)',
  )
  return names.map((name) => ({ name, columns: columnsOf(columns, name) }))
}

/** None for a view that names what is not there, or what it may not. */
function columnsOf(statement: StatementSync, name: string): readonly Column[] {
  try {
    return statement.all(name).map((row) => ({
      name: String(row['name']),
      type: String(row['type']),
      nullable: row['required'] === 0,
      default: typeof row['dflt_value'] === 'string' ? row['dflt_value'] : null,
      primary: row['pk'] !== 0,
    }))
  } catch {
    return []
  }
}
