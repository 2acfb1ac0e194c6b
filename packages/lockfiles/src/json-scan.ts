export interface Scan {
  /** The text without comments and trailing commas. */
  readonly strict: string
  /** The deepest nesting of objects and lists. */
  readonly depth: number
}

const QUOTE = 34
const COMMA = 44
const SLASH = 47
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN = 123
const CLOSE = 125

/** One pass over a JSON text that does not check it: what a parser would do too late or not at all. */
export function scanJson(text: string, isLenient: boolean): Scan {
  const cuts: Cut[] = []
  let [depth, level, comma, before] = [0, 0, -1, COMMA]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    // Nothing at or below a space means anything to a parser of JSON.
    if (unit <= 32) continue
    if (unit === QUOTE) at = endOfText(text, at)
    else if (unit === OPEN || unit === OPEN_LIST) depth = Math.max(depth, (level += 1))
    else if (unit === CLOSE || unit === CLOSE_LIST) {
      level -= 1
      if (isLenient && before === COMMA && comma >= 0) cuts.push({ from: comma, to: comma + 1 })
    } else if (unit === COMMA) comma = isEndOfValue(before) ? at : -1
    else if (isLenient && unit === SLASH) {
      const to = endOfComment(text, at)
      if (to === undefined) continue
      cuts.push({ from: at, to })
      at = to - 1
      continue
    }
    before = unit
  }
  return { strict: without(text, cuts), depth }
}

interface Cut {
  readonly from: number
  readonly to: number
}

const isEndOfValue = (unit: number): boolean =>
  unit !== COMMA && unit !== COLON && unit !== OPEN && unit !== OPEN_LIST

/** The place of the closing quote, or the end of the text. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - slashes - 1) === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return at
  }
  return text.length
}

function endOfComment(text: string, start: number): number | undefined {
  const kind = text[start + 1]
  if (kind !== '/' && kind !== '*') return undefined
  const end = text.indexOf(kind === '/' ? '\n' : '*/', start + 2)
  if (end < 0) return kind === '/' ? text.length : undefined
  return kind === '/' ? end : end + 2
}

function without(text: string, cuts: Cut[]): string {
  if (cuts.length === 0) return text
  const kept: string[] = []
  let from = 0
  for (const cut of cuts.toSorted((a, b) => a.from - b.from)) {
    kept.push(text.slice(from, cut.from), ' ')
    from = cut.to
  }
  kept.push(text.slice(from))
  return kept.join('')
}
