import { type Origin, refuse } from './failure.ts'
import type { Fields } from './fields.ts'
import { scanJson } from './json-scan.ts'
import { LIMITS } from './limits.ts'

/** Parses JSON within the bound of depth; a key that is given twice in one object is refused at every depth. */
export function parseJson(text: string, origin: Origin): unknown {
  return parseScanned(text.startsWith('\uFEFF') ? text.slice(1) : text, false, origin)
}

/** The same with comments and trailing commas, as Bun writes its lock. */
export function parseJsonc(text: string, origin: Origin): unknown {
  return parseScanned(text, true, origin)
}

function parseScanned(text: string, isLenient: boolean, origin: Origin): unknown {
  const { strict, depth, colons } = scanJson(text, isLenient)
  if (depth > LIMITS.depth) refuse(origin, 'too_deep')
  let value: unknown
  try {
    value = JSON.parse(strict)
  } catch {
    refuse(origin, 'not_json')
  }
  // Valid JSON has one colon outside of texts for each member, so members that are lost were given twice.
  if (countMembers(value) !== colons) refuse(origin, 'duplicate_key')
  return value
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

/** Calls itself for what is inside; `LIMITS.depth` bounds how often. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) if (typeof one === 'object') count += countMembers(one) // JSON.parse made it.
    return count
  }
  const fields = value as Fields // An object that is neither null nor a list has names and unknown values.
  const names = Object.keys(fields)
  for (const name of names) {
    const one = fields[name]
    if (typeof one === 'object') count += countMembers(one)
  }
  return count + names.length
}
