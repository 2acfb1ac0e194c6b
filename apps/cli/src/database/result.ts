import type { DatabaseResultData } from '@fleet/contract'
import { cut, oneLine, pad, widthOf } from '#/print/text.ts'
import type { Json } from '#/print/value.ts'
import type { Paper, View } from '#/views/view.ts'

type Result = Pick<DatabaseResultData, 'columns' | 'rows' | 'row_count' | 'truncated' | 'write'>

const GAP = ' | '
const NULL = 'NULL'
/** A cell of a table shows at most so much; the record form shows all. */
const MAX_CELL_COLUMNS = 60

/** Rows of a statement: a table where it fits, otherwise one record after the other. */
export const queryResult: View = {
  lines: (data, _also, paper) => resultLines(data as unknown as Result, paper), // The gateway answers by this declaration.
}

export async function resultLines(
  { columns, rows, ...facts }: Result,
  paper: Pick<Paper, 'columns' | 'colors'>,
): Promise<readonly string[]> {
  const footer = paper.colors.dim(footerOf(facts))
  if (columns.length === 0) return [footer]
  const table = await tableLines(columns, rows, paper)
  return [...(table ?? recordLines(columns, rows, paper)), footer]
}

/** How many rows there are, or were changed, in one line. */
export function footerOf({
  row_count: count,
  truncated,
  write,
}: Pick<Result, 'row_count' | 'truncated' | 'write'>): string {
  const rows = `${count} ${count === 1 ? 'row' : 'rows'}`
  if (truncated) return `(${rows}; there are more, which the gateway does not return)`
  return write ? `(${rows} affected or returned)` : `(${rows})`
}

/** Undefined where the table is wider than the paper. */
async function tableLines(
  columns: readonly string[],
  rows: readonly Json[],
  { columns: width, colors }: Pick<Paper, 'columns' | 'colors'>,
): Promise<readonly string[] | undefined> {
  const heads = columns.map(oneLine)
  const cells = rows.map((row) => columns.map((name) => cellText(row[name])))
  const measure = await widthOf([...heads, ...cells.flat()])
  const most = Number.isFinite(width) ? MAX_CELL_COLUMNS : Number.POSITIVE_INFINITY
  const widths = heads.map((head, index) =>
    Math.max(measure(head), ...cells.map((row) => Math.min(most, measure(row[index] ?? '')))),
  )
  const total = widths.reduce((sum, own) => sum + own, GAP.length * (widths.length - 1))
  if (total > width) return undefined
  const line = (texts: readonly string[]): string =>
    widths
      .map((size, index) => pad(cut(texts[index] ?? '', size, measure), size, measure))
      .join(GAP)
      .trimEnd()
  const rule = widths.map((size) => '-'.repeat(size)).join('-+-')
  return [colors.bold(line(heads)), colors.dim(rule), ...cells.map(line)]
}

function recordLines(
  columns: readonly string[],
  rows: readonly Json[],
  { colors }: Pick<Paper, 'colors'>,
): readonly string[] {
  const size = Math.max(...columns.map((name) => oneLine(name).length))
  return rows.flatMap((row, index) => [
    colors.dim(`-[ row ${index + 1} ]-`),
    ...columns.map((name) => `${colors.bold(oneLine(name).padEnd(size))} ${cellText(row[name])}`),
  ])
}

/** A value in one line: texts as they are, everything else as JSON. */
const cellText = (value: unknown): string =>
  value === null || value === undefined
    ? NULL
    : oneLine(typeof value === 'string' ? value : JSON.stringify(value))
