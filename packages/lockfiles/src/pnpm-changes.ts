import { type Fields, listOf, optionalFields, textOf, textsOf } from './fields.ts'
import type { Origin } from './failure.ts'
import type { Declared } from './manifest.ts'

/** Settings that pnpm recorded in its lock because they change what it takes from package.json. */
export interface Changes {
  /** The importer may lack what package.json declares. */
  mayLack(declared: Declared): boolean
  /** An override put this specifier in the place of the declared one. */
  overrides(name: string, specifier: string): boolean
}

export function changesOf(lock: Fields, origin: Origin): Changes {
  const overrides = [...textsOf(lock['overrides'], origin)]
  const ignored = listOf(lock['ignoredOptionalDependencies'], origin).map((one) => textOf(one, origin))
  const isOverridden = (name: string, specifier: string): boolean =>
    overrides.some(([selector, value]) => value === specifier && selects(selector, name))
  const installsPeers = optionalFields(lock['settings'], origin)?.['autoInstallPeers'] === true
  return {
    overrides: isOverridden,
    mayLack: ({ name, kind, optional }) =>
      isOverridden(name, '-') ||
      (kind === 'peer' && (optional || !installsPeers)) ||
      (optional && ignored.some((pattern) => matches(pattern, name))),
  }
}

/** `name`, `name@range` or `parent>name`. */
const selects = (selector: string, name: string): boolean =>
  selector === name || selector.startsWith(`${name}@`) || selector.endsWith(`>${name}`)

/** A pattern of names in which `*` is any text; linear, whatever the pattern. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let at = first.length
  for (const part of parts) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= name.length - last.length
}
