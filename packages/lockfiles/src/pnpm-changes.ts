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
  const overrides = overridesOf(textsOf(lock['overrides'], origin))
  const isIgnored = patterns(listOf(lock['ignoredOptionalDependencies'], origin), origin)
  const isOverridden = (name: string, specifier: string): boolean =>
    overrides.get(name)?.has(specifier) === true
  const installsPeers = optionalFields(lock['settings'], origin)?.['autoInstallPeers'] === true
  return {
    overrides: isOverridden,
    mayLack: ({ name, kind, optional }) =>
      isOverridden(name, '-') ||
      (kind === 'peer' && (optional || !installsPeers)) ||
      (optional && isIgnored(name)),
  }
}

/** Name → what may replace its specifier. Selectors are `name`, `name@range` and `parent>name`. */
function overridesOf(selectors: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const overrides = new Map<string, Set<string>>()
  for (const [selector, value] of selectors) {
    const parent = selector.lastIndexOf('>')
    const at = selector.indexOf('@', 1)
    const names = [selector, ...(at < 0 ? [] : [selector.slice(0, at)])]
    if (parent >= 0) names.push(selector.slice(parent + 1))
    for (const name of names) overrides.set(name, (overrides.get(name) ?? new Set()).add(value))
  }
  return overrides
}

/** More patterns than anybody writes are passed over, so that a lock cannot ask for every name with each of them. */
const MOST_PATTERNS = 100

function patterns(list: readonly unknown[], origin: Origin): (name: string) => boolean {
  const texts = list.map((one) => textOf(one, origin))
  const exact = new Set(texts)
  const wild = texts.filter((one) => one.includes('*')).slice(0, MOST_PATTERNS)
  return (name) => exact.has(name) || wild.some((pattern) => matches(pattern, name))
}

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
