import Range from 'semver/classes/range.js'
import { isPackageName } from './package-name.ts'
import { LIMITS } from './limits.ts'

/** A package that comes from a path of the machine that made the lock. */
export const isLocal = (specifier: string): boolean =>
  /^(?:(?:file|link|portal|workspace):|\.{0,2}\/|~\/|\.{1,2}$|[a-z]:[\\/])/i.test(specifier)

/** An empty specifier means any version (DEX-020). */
export const sameSpecifier = (one: string, other: string): boolean => (one || '*') === (other || '*')

export interface Alias {
  readonly name: string
  readonly range: string
}

/** `npm:name@range`; without a range any version. */
export function aliasOf(specifier: string): Alias | undefined {
  if (!specifier.startsWith('npm:')) return undefined
  const text = specifier.slice('npm:'.length)
  const at = text.indexOf('@', 1)
  const [name, range] = at < 0 ? [text, '*'] : [text.slice(0, at), text.slice(at + 1)]
  return isPackageName(name) ? { name, range: range.trim() || '*' } : undefined
}

export interface Aliased {
  readonly version: string
  /** It came from a registry, so that a tag could name it. */
  readonly isFromRegistry: boolean
}

/**
 * Whether a resolution is what an alias asks for: by loose semver, or by a tag from a registry (DEX-018). npm does not
 * compare the names: it is content with any package of that version that is installed under the alias.
 */
export function satisfiesAlias({ range }: Alias, found: Aliased): boolean {
  if (range.length > LIMITS.aliasRangeLength) return false
  if (range === '*') return true
  const parsed = rangeOf(range)
  return parsed === undefined ? found.isFromRegistry : parsed.test(found.version)
}

/** Undefined for what is no range, such as a tag. */
function rangeOf(text: string): Range | undefined {
  try {
    return new Range(text, { loose: true })
  } catch {
    return undefined
  }
}

/** The revision in the address of a Git repository or of an archive that a host made of one. */
export const revisionOf = (address: string): string | undefined => /[#/]([0-9a-f]{40})$/.exec(address)?.[1]
