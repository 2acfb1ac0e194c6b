import { oneLine } from './text.ts'

export type Json = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects of a list; nothing of what is no list. */
export const objectsIn = (list: unknown): readonly Json[] =>
  Array.isArray(list) ? list.filter(isObject) : []

/** Shown for null, an empty text and an empty list. */
export const NOTHING = '–'

const MAX_DEPTH = 16

/** A value in one line: names of records, comma lists, yes and no. */
export function inline(value: unknown, depth = 0): string {
  // An answer may be nested deeper than the stack, and no line shows so much.
  if (depth > MAX_DEPTH) return '…'
  if (value === null || value === undefined || value === '') return NOTHING
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length === 0 ? NOTHING : value.map((item) => inline(item, depth + 1)).join(', ')
  if (isObject(value)) return inlineObject(value, depth)
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

function inlineObject(value: Json, depth: number): string {
  const label = labelOf(value)
  if (label !== undefined) return label
  const members = Object.entries(value).map(
    ([name, inner]) => `${oneLine(name)}: ${inline(inner, depth + 1)}`,
  )
  return members.length === 0 ? NOTHING : members.join(', ')
}

/** `{id, name}` and records like it read as a name with the id behind it. */
export function labelOf(value: Json): string | undefined {
  const name = value['slug'] ?? value['name']
  const isIdentity =
    typeof name === 'string' &&
    'id' in value &&
    Object.values(value).every((inner) => inner === null || typeof inner !== 'object')
  return isIdentity ? `${oneLine(name)} (${oneLine(String(value['id']))})` : undefined
}
