import type { Colors } from '#/terminal.ts'
import { printable } from './text.ts'
import { inline, isObject, type Json, labelOf, NOTHING } from './value.ts'

/** An answer may be nested deeper than the stack; from here on it is shown in a line, which shows a part. */
const MAX_INDENT = 64

/** One record as aligned lines; objects and lists of objects are indented below their name. */
export const recordLines = (record: Json, colors: Colors, indent = ''): readonly string[] => {
  const names = Object.keys(record).filter((name) => !isBlock(record[name]))
  const width = Math.max(0, ...names.map((name) => name.length))
  return Object.entries(record).flatMap(([name, value]) => {
    if (isBlock(value) && indent.length < MAX_INDENT)
      return [`${indent}${colors.bold(printable(name))}`, ...blockLines(value, colors, `${indent}  `)]
    const text = valueText(value, indent + ' '.repeat(width + 2))
    return [
      `${indent}${colors.dim(printable(name).padEnd(width))}  ${text === NOTHING ? colors.dim(text) : text}`,
    ]
  })
}

/** What does not fit in a line: an object that is no mere identity, or a list that holds such. */
const isBlock = (value: unknown): value is Json | readonly unknown[] => {
  if (Array.isArray(value)) return value.some((item) => isObject(item) && labelOf(item) === undefined)
  return isObject(value) && labelOf(value) === undefined && !isSmall(value)
}

/** An object of a few plain members reads well behind its name. */
const isSmall = (value: Json): boolean => {
  const members = Object.values(value)
  return members.length <= 3 && members.every((member) => typeof member !== 'object' || member === null)
}

function blockLines(value: Json | readonly unknown[], colors: Colors, indent: string): readonly string[] {
  if (!isList(value)) return recordLines(value, colors, indent)
  return value.flatMap((item, index) => {
    if (!isObject(item)) return [`${indent}${inline(item)}`]
    const [first = '', ...rest] = recordLines(item, colors, `${indent}  `)
    return [...(index > 0 ? [''] : []), `${indent}- ${first.trimStart()}`, ...rest]
  })
}

const isList = (value: Json | readonly unknown[]): value is readonly unknown[] => Array.isArray(value)

/** A text of several lines, such as a certificate or a command, keeps its lines. */
function valueText(value: unknown, indent: string): string {
  if (typeof value !== 'string' || !value.trimEnd().includes('\n')) return inline(value)
  return printable(value.trimEnd()).replaceAll('\n', `\n${indent}`)
}
