import { type Origin, refuse } from './failure.ts'
import type { Fields } from './fields.ts'
import { scanJson } from './json-scan.ts'
import { LIMITS } from './limits.ts'

/** Parses JSON within the bound of depth; a key that is given twice in one object is refused at every depth. */
export function parseJson(text: string, origin: Origin): unknown {
  const strict = text.startsWith('\uFEFF') ? text.slice(1) : text
  return parseWithin(strict, strict, false, origin)
}

/** The same with comments and trailing commas, as Bun writes its lock. */
export function parseJsonc(text: string, origin: Origin): unknown {
  // No text of JSON holds a line break, so a comma before one is never part of a text.
  return parseWithin(text, text.replaceAll(/(?<=["\]}\dle]),(?=\r?\n\s*[}\]])/g, ''), true, origin)
}

/** Most files are parsed at once. What may be nested deeply, and what the parser does not take, is scanned first. */
function parseWithin(text: string, likely: string, isLenient: boolean, origin: Origin): unknown {
  const value = isDense(likely) ? undefined : parsed(likely)
  if (value !== undefined) return withoutDuplicates(value, likely, origin)
  const { strict, depth } = scanJson(text, isLenient)
  if (depth > LIMITS.depth) refuse(origin, 'too_deep')
  const scanned = parsed(strict)
  return scanned === undefined ? refuse(origin, 'not_json') : withoutDuplicates(scanned, strict, origin)
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether more objects and lists begin in a text than any manager writes: a parser needs memory for each that is open. */
const isDense = (text: string): boolean =>
  (countOf(text, /\{/g) + countOf(text, /\[/g)) * LEAST_BYTES > text.length

/** An object or a list of a lock takes more than ten times as many. */
const LEAST_BYTES = 8

function withoutDuplicates(value: unknown, text: string, origin: Origin): unknown {
  // Each text of valid JSON is a key or a value, so of what is parsed texts are missing where a key was given twice.
  const count = typeof value === 'string' ? 1 : countTexts(value, 0, origin)
  if (count * 2 !== countOf(text, /"/g) - escapedQuotes(text)) refuse(origin, 'duplicate_key')
  return value
}

/** A pattern of one character is searched for by the machine, ten times as fast as by a loop. */
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

function escapedQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2))
    if (text[at + 1] === '"') count += 1
  return count
}

/** Keys and values that are texts. Calls itself for what is inside; `LIMITS.depth` bounds how often. */
function countTexts(value: unknown, depth: number, origin: Origin): number {
  if (typeof value !== 'object' || value === null) return 0
  if (depth === LIMITS.depth) refuse(origin, 'too_deep')
  let count = 0
  if (Array.isArray(value)) {
    const members = value as readonly unknown[] // JSON.parse made it.
    for (const one of members) count += typeof one === 'string' ? 1 : countTexts(one, depth + 1, origin)
    return count
  }
  const fields = value as Fields // An object that is neither null nor a list has names and unknown values.
  // What JSON.parse makes has its own names alone, and a list of them would cost more than the count.
  for (const name in fields) {
    const one = fields[name]
    count += typeof one === 'string' ? 2 : 1 + countTexts(one, depth + 1, origin)
  }
  return count
}

/** Whether no text of a JSON file can be anything but printable, judged without reading it: most files are so plain. */
export function isPrintableJson(text: string): boolean {
  if (text.includes('\u007F') || !text.isWellFormed()) return false
  // A backslash is followed by what it stands for, which may be a backslash itself; only some stand for what is not printable.
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2))
    if (!PRINTABLE_ESCAPES.includes(text.charAt(at + 1))) return false
  return true
}

const PRINTABLE_ESCAPES = '"\\/'
