import { textsOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'

/** Name in lower case, as Composer compares names → constraint. */
export type Links = ReadonlyMap<string, string>

const NAME = /^[a-z0-9][a-z0-9_.-]*\/[a-z0-9][a-z0-9_.-]*$/
const PLATFORM =
  /^(?:php(?:-64bit|-ipv6|-zts|-debug)?|hhvm|composer|composer-(?:plugin|runtime)-api|(?:ext|lib)-[a-z0-9][a-z0-9_.-]*)$/

const NONE: Links = new Map()

export const isPlatform = (name: string): boolean => PLATFORM.test(name)

export function composerName(text: string, origin: Origin): string {
  const name = text.toLowerCase()
  return NAME.test(name) ? name : refuse(origin, 'name')
}

/** PHP writes an object without members as an empty list. */
export function links(value: unknown, origin: Origin): Links {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return NONE
  const found = new Map<string, string>()
  for (const [text, constraint] of textsOf(value, origin)) {
    const name = text.toLowerCase()
    if (!NAME.test(name) && !isPlatform(name)) refuse(origin, 'name')
    if (found.has(name)) refuse(origin, 'duplicate_key')
    found.set(name, constraint)
  }
  return found
}

/** Names that a package provides or replaces. Composer passes over what no package can be called, such as `acme/*`. */
export function standIns(value: unknown, origin: Origin): readonly string[] {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return []
  const names = [...textsOf(value, origin).keys()].map((name) => name.toLowerCase())
  return names.filter((name) => NAME.test(name))
}
