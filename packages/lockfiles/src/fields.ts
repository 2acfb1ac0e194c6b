import { type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'

/** An object of a parsed file. Names that the file chooses are looked up in a `Map` or with `Object.hasOwn`, never here. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown, origin: Origin): Fields {
  return optionalFields(value, origin) ?? refuse(origin, 'wrong_type')
}

export function optionalFields(value: unknown, origin: Origin): Fields | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(origin, 'wrong_type')
  return value as Fields // An object that is neither null nor a list has names and unknown values.
}

/** A text that can be stored and shown: bounded, well-formed, without control characters. */
export function textOf(value: unknown, origin: Origin): string {
  if (typeof value !== 'string') refuse(origin, 'wrong_type')
  if (!(origin.isPrintable === true && value.length <= SHORT) && !isStorable(value)) refuse(origin, 'text')
  return value
}

export const optionalText = (value: unknown, origin: Origin): string | undefined =>
  value === undefined ? undefined : textOf(value, origin)

/** An object of names that the file chooses, which are only walked and asked for as its own; by default none. */
export const sectionOf = (value: unknown, origin: Origin): Fields => optionalFields(value, origin) ?? EMPTY

const EMPTY: Fields = {}

export function listOf(value: unknown, origin: Origin): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : refuse(origin, 'wrong_type')
}

/** Name → text, as sections of dependencies are. */
export function textsOf(value: unknown, origin: Origin): ReadonlyMap<string, string> {
  const fields = optionalFields(value, origin)
  if (fields === undefined) return NOTHING
  const texts = new Map<string, string>()
  for (const name of Object.keys(fields)) texts.set(textOf(name, origin), textOf(fields[name], origin))
  return texts
}

const NOTHING: ReadonlyMap<string, string> = new Map()

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001F\u007F]/

/** Most texts; one look at them is enough. */
const PLAIN = /^[ -~]*$/

/** No text of this length is too large, whatever its characters. */
const SHORT = Math.floor(LIMITS.textMaxBytes / 3)

function isStorable(text: string): boolean {
  if (text.length > SHORT && bytesOf(text) > LIMITS.textMaxBytes) return false
  return PLAIN.test(text) || (!CONTROL.test(text) && text.isWellFormed())
}

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length
