import type { Cell, QueryResult } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'
import { isBinary, textCell } from './cells.ts'
import type { Redact } from './redact.ts'

/** Collects the rows of one result within its limits. */
export interface RowCollector {
  readonly columns: readonly string[]
  /** False when the result takes no more: the row was not added, and nobody needs to send another. */
  add(cells: readonly Cell[]): boolean
  result(rowCount?: number): QueryResult
}

/** Rows of a statement whose fields the engine names before the first of them. */
export interface StatementRows<Field, Value> {
  readonly handler: {
    fields(fields: readonly Field[]): void
    /** False once the result takes no more. */
    row(row: readonly Value[]): boolean
  }
  hasColumns(): boolean
  result(rowCount?: number): QueryResult
}

/** `redact` of the login's password; `cellOf` reads a value as its engine prints it. */
export function collectStatement<Field extends { readonly name: string }, Value>(
  redact: Redact,
  cellOf: (value: Value, field: Field | undefined) => Cell,
): StatementRows<Field, Value> {
  let fields: readonly Field[] = []
  let rows: RowCollector = collectRows([], redact)
  let isFull = false
  return {
    hasColumns: () => fields.length > 0,
    handler: {
      fields: (given) => {
        fields = given
        rows = collectRows(
          given.map(({ name }) => name),
          redact,
        )
      },
      row: (row) => {
        if (!isFull) isFull = !rows.add(row.map((value, index) => cellOf(value, fields[index])))
        return !isFull
      },
    },
    result: (rowCount) => rows.result(rowCount),
  }
}

/** `names` as the engine has them, `redact` of the stored password. */
export function collectRows(names: readonly string[], redact: Redact): RowCollector {
  const columns = uniqueNames(names.map(redact.text))
  const rows: Record<string, Cell>[] = []
  let bytes = 2
  let truncated = false
  return {
    columns,
    add(cells) {
      const row = rowOf(columns, cells, redact)
      const size = Buffer.byteLength(JSON.stringify(row)) + 1
      const fits = bytes + size <= DATABASE_LIMITS.maxResultBytes
      if (rows.length >= DATABASE_LIMITS.maxRows || (!fits && rows.length > 0)) {
        truncated = true
        return false
      }
      rows.push(fits ? row : shortened(row, columns.length))
      bytes += size
      return true
    },
    result: (rowCount = rows.length) => ({ columns, rows, row_count: rowCount, truncated }),
  }
}

/** A name that occurs again gets `_2`, `_3`, … as long as that is not a column itself. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names)
  const used = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let number = 2; used.has(unique); number += 1) {
      const next = `${name}_${number}`
      if (!taken.has(next)) unique = next
    }
    used.add(unique)
    return unique
  })
}

function rowOf(columns: readonly string[], cells: readonly Cell[], redact: Redact): Record<string, Cell> {
  const row: Record<string, Cell> = {}
  for (const [index, column] of columns.entries()) {
    const value = redactCell(cells[index] ?? null, redact)
    // An assignment would set the prototype.
    if (column === '__proto__') Object.defineProperty(row, column, { ...MEMBER, value })
    else row[column] = value
  }
  return row
}

const MEMBER = { configurable: true, enumerable: true, writable: true }

function redactCell(cell: Cell, redact: Redact): Cell {
  if (typeof cell === 'string') return textCell(redact.text(cell))
  if (typeof cell === 'number') return redact.number(cell)
  if (typeof cell !== 'object' || cell === null) return cell
  if (isList(cell)) return cell.map((item) => redactCell(item, redact))
  if (isBinary(cell)) return redactBinary(cell, cell.base64, redact)
  return Object.fromEntries(
    Object.entries(cell).map(([name, value]) => [redact.text(name), redactCell(value, redact)]),
  )
}

const REDACTED = '[REDACTED]'
const isList = (cell: object): cell is readonly Cell[] => Array.isArray(cell)

/** Bytes are text of some encoding to the one who stored them. */
function redactBinary(cell: Cell, base64: string, redact: Redact): Cell {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  const utf8 = Buffer.from(base64, 'base64').toString()
  const isHidden =
    redact.text(text) !== text ||
    redact.text(utf8) !== utf8 ||
    redact.text(text.replaceAll('\0', '')) !== text.replaceAll('\0', '')
  return isHidden ? REDACTED : cell
}

/** One row longer than a whole result: each of its cells gets its share. */
function shortened(row: Record<string, Cell>, columns: number): Record<string, Cell> {
  const share = Math.max(64, Math.floor(DATABASE_LIMITS.maxResultBytes / columns / 6))
  for (const [name, cell] of Object.entries(row)) {
    const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
    if (text.length > share) row[name] = textCell(text, share)
  }
  return row
}
