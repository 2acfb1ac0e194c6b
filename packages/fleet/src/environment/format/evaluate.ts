import { ENVIRONMENT_LIMITS, type FormatRule } from '#/environment/format/limits.ts'
import { FormatRefused } from '#/environment/format/refused.ts'
import type { RawEntry } from '#/environment/format/scan.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  '"': '"',
  $: '$',
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
}
const TEXT = /[^\\$]+/y
const NAME = /\$([A-Za-z_][A-Za-z0-9_]*)/y
const BRACED = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/y

/**
 * The value of a raw entry. Single quotes are literal. Elsewhere `$KEY` and `${KEY}` refer to a key that the file has
 * already set: readers disagree about keys that come later, so those are unresolved (and cycles cannot exist). Throws
 * FormatRefused.
 */
export function evaluate(entry: RawEntry, known: ReadonlyMap<string, string>): string {
  if (entry.quote === 'single') return entry.raw
  let value = ''
  let position = 0
  while (position < entry.raw.length) {
    const piece = readPiece(entry, position, known)
    value += piece.value
    position = piece.end
    // Checked as it grows: a megabyte of expansions could ask for gigabytes.
    if (value.length > ENVIRONMENT_LIMITS.valueBytes) throw refused(entry, 'value_size')
  }
  return value
}

interface Piece {
  readonly value: string
  readonly end: number
}

function readPiece(entry: RawEntry, position: number, known: ReadonlyMap<string, string>): Piece {
  TEXT.lastIndex = position
  const text = TEXT.exec(entry.raw)?.[0]
  if (text !== undefined) return { value: text, end: position + text.length }
  return entry.raw[position] === '\\' ? readEscape(entry, position) : readDollar(entry, position, known)
}

function readEscape(entry: RawEntry, position: number): Piece {
  const next = entry.raw.charAt(position + 1)
  // Without quotes only a dollar sign can be escaped; phpdotenv and dotenv read every other backslash there as itself.
  if (entry.quote === 'none')
    return next === '$' ? { value: '$', end: position + 2 } : { value: '\\', end: position + 1 }
  const value = ESCAPES[next]
  if (value === undefined) throw refused(entry, 'escape_unknown')
  return { value, end: position + 2 }
}

function readDollar(entry: RawEntry, position: number, known: ReadonlyMap<string, string>): Piece {
  const next = entry.raw.charAt(position + 1)
  // dotenvx, Symfony and shells would run it; phpdotenv and dotenv read text.
  if (next === '(') throw refused(entry, 'command_substitution')
  const pattern = next === '{' ? BRACED : NAME
  pattern.lastIndex = position
  const found = pattern.exec(entry.raw)
  if (found) return { value: lookUp(entry, found[1] ?? '', known), end: position + found[0].length }
  // ${KEY:-default} and its kin: phpdotenv reads text where dotenvx, compose and shells expand.
  if (next === '{') throw refused(entry, 'expansion_unsupported')
  return { value: '$', end: position + 1 }
}

const lookUp = (entry: RawEntry, name: string, known: ReadonlyMap<string, string>): string => {
  const value = known.get(name)
  if (value === undefined) throw refused(entry, 'expansion_unresolved')
  return value
}

const refused = (entry: RawEntry, rule: FormatRule): FormatRefused =>
  new FormatRefused({ rule, line: entry.line, key: entry.key })
