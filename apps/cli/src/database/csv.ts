import type { DatabaseResultData } from '@fleet/contract'

/** The rows as RFC 4180 has them, with a line feed after each; null is an empty cell, an empty text a quoted one. */
export const csvText = ({ columns, rows }: Pick<DatabaseResultData, 'columns' | 'rows'>): string =>
  [columns.map(cell), ...rows.map((row) => columns.map((name) => cell(row[name])))]
    .map((line) => `${line.join(',')}\n`)
    .join('')

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
