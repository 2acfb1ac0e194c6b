import { type Origin, refuse } from './failure.ts'
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

/** Calls itself for what is inside; `LIMITS.depth` bounds how often. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const isList = Array.isArray(value)
  const members: readonly unknown[] = isList ? value : Object.values(value)
  let count = isList ? 0 : members.length
  for (const one of members) if (typeof one === 'object') count += countMembers(one)
  return count
}
