import type { Cell } from '#/access.ts'
import { DATABASE_LIMITS } from '#/limits.ts'

/** The text of an array (8.15.6) as nested lists. One that is cut, or that has bounds of its own, stays text. */
export function arrayCell(text: string, read: (text: string) => Cell): Cell {
  if (!text.startsWith('{') || text.length > DATABASE_LIMITS.maxCellBytes) return text
  const parser = { text, at: 0 }
  const cell = listAt(parser, read)
  return parser.at === text.length ? cell : text
}

interface Parser {
  readonly text: string
  at: number
}

function listAt(parser: Parser, read: (text: string) => Cell): readonly Cell[] {
  const items: Cell[] = []
  parser.at += 1
  while (parser.at < parser.text.length) {
    const sign = parser.text[parser.at]
    if (sign === '}') {
      parser.at += 1
      return items
    }
    if (sign === ',') parser.at += 1
    else if (sign === '{') items.push(listAt(parser, read))
    else items.push(itemAt(parser, read))
  }
  return items
}

const QUOTED = /"((?:[^"\\]|\\.)*)"/sy
const PLAIN = /(?:[^,}\\]|\\.)+/sy

function itemAt(parser: Parser, read: (text: string) => Cell): Cell {
  for (const [pattern, quoted] of [
    [QUOTED, true],
    [PLAIN, false],
  ] as const) {
    pattern.lastIndex = parser.at
    const [all, inner = all] = pattern.exec(parser.text) ?? []
    if (all === undefined) continue
    parser.at += all.length
    if (!quoted && all === 'NULL') return null
    return read((inner ?? all).replaceAll(/\\(.)/gs, '$1'))
  }
  parser.at += 1
  return null
}
