import type { Terminal } from '#/terminal.ts'
import { foldAll } from './fold.ts'
import { recordLines } from './record.ts'
import { widthOf } from './text.ts'
import { inline, isObject } from './value.ts'

/** Prints what a command brought: a table for a list, aligned lines for a record. */
export async function printAnswer(name: string, data: unknown, terminal: Terminal): Promise<void> {
  const lines = await answerLines(name, data, terminal)
  const folded = isObject(data) ? foldAll(lines, terminal.columns, await widthOf(lines)) : lines
  terminal.out(folded.map((line) => `${line}\n`).join(''))
}

async function answerLines(name: string, data: unknown, terminal: Terminal): Promise<readonly string[]> {
  const { outColors } = terminal
  if (isObject(data)) return recordLines(data, outColors)
  if (!Array.isArray(data)) return [inline(data)]
  if (data.length === 0) return [outColors.dim('Nothing to list.')]
  const rows = data.filter(isObject)
  if (rows.length < data.length) return data.map((item) => inline(item))
  // A single record never needs the table, so its code is loaded only here.
  const [{ tableLines }, { columns }] = await Promise.all([import('./table.ts'), import('#/hints.ts')])
  return tableLines(rows, columns[name], terminal.columns, outColors)
}

/** One line of a stream for people: its members in a row, or the text alone where there is only one. */
export function streamLine(line: unknown): string {
  if (!isObject(line)) return inline(line)
  const entries = Object.entries(line)
  const [only] = entries
  return only && entries.length === 1
    ? inline(only[1])
    : entries.map(([name, value]) => `${name}=${inline(value)}`).join('  ')
}
