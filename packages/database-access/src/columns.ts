import type { TableColumns } from './access.ts'

/** Rows of (table, column, type, nullable, default, primary), booleans as `t` and `f`, in the order of the columns. */
export function tablesOf(rows: ReadonlyArray<readonly (string | null)[]>): readonly TableColumns[] {
  const tables = new Map<string, TableColumns['columns'][number][]>()
  for (const [table, name, type, nullable, value = null, primary] of rows) {
    const columns = tables.get(table ?? '') ?? []
    // A table without columns has one row without a column.
    if (name !== null && name !== undefined)
      columns.push({
        name,
        type: type ?? '',
        nullable: nullable === 't',
        default: value,
        primary: primary === 't',
      })
    tables.set(table ?? '', columns)
  }
  return [...tables]
    .map(([name, columns]) => ({ name, columns }))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
