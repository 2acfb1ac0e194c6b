import { type FormatRule, keyProblem } from '#/environment/format/limits.ts'

export type Quote = 'none' | 'single' | 'double'

/** One assignment as written in the file: escapes and expansions are still raw. */
export interface RawEntry {
  readonly kind: 'entry'
  readonly line: number
  readonly key: string
  readonly quote: Quote
  readonly raw: string
}

/** A place that is no assignment, comment or blank line. */
export interface ScanProblem {
  readonly kind: 'problem'
  readonly line: number
  readonly rule: FormatRule
  readonly key?: string
}

// Anchored at the read position by the y flag. Blank space is what every dialect agrees on: no line breaks, no Unicode spaces.
const NOTHING = /[ \t\v\f]*(?:#[^\n]*)?(?:\n|$)/y
const ASSIGNMENT = /[ \t\v\f]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t\v\f]*=[ \t\v\f]*/y
const SINGLE = /'([^']*)'/y
const DOUBLE = /"([^"\\]*(?:\\[^][^"\\]*)*)"/y
const UNQUOTED = /[^\n]*/y
const TRAILING_COMMENT = /[ \t\v\f]#.*$/s

/**
 * Splits a text with `\n` line ends into raw entries and problems, in file order. Quoted values may span lines.
 * A `#` begins a comment at the start of a line, after blank space, or right after a closing quote; in a quoted value it belongs to
 * the value, elsewhere it is a problem.
 */
export function* scan(text: string): Generator<RawEntry | ScanProblem> {
  for (const { item } of scanLines(text)) if (item) yield item
}

/** A logical line: from its first character to that after its line break. Together they are the text. */
export interface ScanLine {
  readonly item?: RawEntry | ScanProblem
  readonly text: string
}

/** The same with the comments and blank lines between, and the text of each. */
export function* scanLines(text: string): Generator<ScanLine> {
  let position = 0
  let line = 1
  while (position < text.length) {
    const { item, end } = readLine(text, position, line)
    yield { text: text.slice(position, end), ...(item ? { item } : {}) }
    line += countLines(text, position, end)
    position = end
  }
}

interface Found {
  readonly item?: RawEntry | ScanProblem
  /** Where the next logical line begins. */
  readonly end: number
}

function readLine(text: string, position: number, line: number): Found {
  const nothing = match(NOTHING, text, position)
  if (nothing) return { end: position + nothing[0].length }
  const assignment = match(ASSIGNMENT, text, position)
  const key = assignment?.[1]
  const end = endOfLine(text, position)
  if (!assignment || key === undefined) return { item: { kind: 'problem', line, rule: 'line_syntax' }, end }
  if (keyProblem(key)) return { item: { kind: 'problem', line, rule: 'key_name' }, end }
  return readValue(text, position + assignment[0].length, { line, key })
}

function readValue(text: string, start: number, at: { readonly line: number; readonly key: string }): Found {
  const opening = text[start]
  if (opening === "'") return readQuoted(text, start, 'single', at)
  if (opening === '"') return readQuoted(text, start, 'double', at)
  const end = endOfLine(text, start)
  // Readers part here: dotenv takes it for a quote, a shell for a command, phpdotenv for text.
  if (opening === '`') return { item: { kind: 'problem', ...at, rule: 'quote_unsupported' }, end }
  const rest = match(UNQUOTED, text, start)?.[0] ?? ''
  // Blank space before the value was read with the equals sign.
  const raw =
    rest.startsWith('#') && text[start - 1] !== '=' ? '' : trimBlankEnd(rest.replace(TRAILING_COMMENT, ''))
  // Readers part here too: dotenv, dotenvx and phpdotenv cut the value at the sign, a shell and python-dotenv keep it.
  if (raw.includes('#')) return { item: { kind: 'problem', ...at, rule: 'hash_unquoted' }, end }
  return { item: { kind: 'entry', ...at, quote: 'none', raw }, end }
}

// Not a pattern: one like /[ ]+$/ takes quadratic time on a long run of blanks in the middle.
const trimBlankEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && ' \t\v\f'.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

function readQuoted(
  text: string,
  start: number,
  quote: 'single' | 'double',
  at: { readonly line: number; readonly key: string },
): Found {
  const quoted = match(quote === 'single' ? SINGLE : DOUBLE, text, start)
  if (!quoted) return { item: { kind: 'problem', ...at, rule: 'quote_open' }, end: text.length }
  const after = start + quoted[0].length
  const rest = match(NOTHING, text, after)
  if (!rest)
    return { item: { kind: 'problem', ...at, rule: 'text_after_quote' }, end: endOfLine(text, after) }
  return { item: { kind: 'entry', ...at, quote, raw: quoted[1] ?? '' }, end: after + rest[0].length }
}

const match = (pattern: RegExp, text: string, position: number): RegExpExecArray | null => {
  pattern.lastIndex = position
  return pattern.exec(text)
}

const endOfLine = (text: string, position: number): number => {
  const end = text.indexOf('\n', position)
  return end === -1 ? text.length : end + 1
}

const countLines = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
