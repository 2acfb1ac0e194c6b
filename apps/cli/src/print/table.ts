import type { Colors } from '#/terminal.ts'
import { cut, pad, widthOf } from './text.ts'
import { inline, isObject, type Json, labelOf, NOTHING } from './value.ts'

const GAP = '  '
/** Narrower than this a column says too little to be shown cut. */
const MIN_COLUMNS = 8

/** Rows under a heading, as many columns as the terminal holds; the last columns give way first. */
export async function tableLines(
  rows: readonly Json[],
  wished: readonly string[] | undefined,
  columns: number,
  colors: Colors,
): Promise<readonly string[]> {
  const names = wished
    ? wished.filter((name, index) => isWorthShowing(rows, name, index))
    : plainColumns(rows)
  const heads = names.map((name) =>
    name
      .replace(/(?<=.)_id$/, '')
      .replaceAll('_', ' ')
      .toUpperCase(),
  )
  const cells = rows.map((row) => names.map((name) => cellText(row[name])))
  const width = await widthOf(cells.flat())
  const widths = fit(
    heads.map((head, index) => Math.max(head.length, ...cells.map((row) => width(row[index] ?? '')))),
    columns,
  )
  const line = (texts: readonly string[]): string =>
    widths
      .map((size, index) => pad(cut(texts[index] ?? '', size, width), size, width))
      .join(GAP)
      .trimEnd()
  return [colors.bold(line(heads)), ...cells.map((row) => dimNothing(line(row), colors))]
}

/** The first two columns name the record; any other is shown when one row says something in it. */
const isWorthShowing = (rows: readonly Json[], name: string, index: number): boolean =>
  rows.some((row) => name in row && (index < 2 || cellText(row[name]) !== NOTHING))

/** Widths of the columns that fit, the last of them cut if need be. */
function fit(widths: readonly number[], columns: number): readonly number[] {
  const fitting: number[] = []
  let left = columns
  for (const width of widths) {
    const available = left - (fitting.length > 0 ? GAP.length : 0)
    if (available < Math.min(width, MIN_COLUMNS)) break
    fitting.push(Math.min(width, available))
    left = available - width
  }
  return fitting
}

/** Members that read well in a cell, for lists without a hint. */
const plainColumns = (rows: readonly Json[]): readonly string[] => {
  const [first = {}] = rows
  return Object.keys(first).filter((name) =>
    rows.every((row) => !isObject(row[name]) || labelOf(row[name]) !== undefined),
  )
}

/** Names only: the id is in the record itself. */
const cellText = (value: unknown): string =>
  isObject(value) ? inline(value['slug'] ?? value['name'] ?? value) : inline(value)

const dimNothing = (line: string, colors: Colors): string =>
  line.replaceAll(new RegExp(`(?<= )${NOTHING}(?= |$)`, 'g'), colors.dim(NOTHING))
