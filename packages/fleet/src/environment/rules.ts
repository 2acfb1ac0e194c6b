import type { Ids } from '@fleet/kernel'
import type { InstanceRecord } from '#/instances/api.ts'
import {
  byteLength,
  DOMAIN_PLACEHOLDER,
  ENVIRONMENT_LIMITS,
  FormatRefused,
  type FormatRule,
  keyNames,
  keyProblem,
  parseFile,
  unresolvedPart,
  type PlaceholderValues,
  type Reader,
  renderFile,
  resolvePlaceholders,
  unknownPlaceholder,
  valueProblem,
} from '#/environment/format/index.ts'

type Profile = NonNullable<InstanceRecord['profile']>
export type Values = ReadonlyMap<string, string>

/** A broken rule as `details` shows it: names and numbers, never a value (ENV-075). */
export interface Problem {
  readonly rule: FormatRule | 'placeholder_unknown' | 'placeholder_unresolved' | 'app_url'
  readonly key?: string
  /** The remaining token; bare braces when its text might be secret. */
  readonly placeholder?: string
}

/** The only `APP_URL` that is stored for the first PHP framework (ENV-032, ENV-038). */
export const APP_URL = `https://${DOMAIN_PLACEHOLDER}`

// What does not even look like a name may be a value in the wrong place, so it is not repeated.
const NAME_LIKE = /^[\w.-]{1,255}$/

/** The first rule that one key and value break, leaving out what needs the Instance. */
export function entryProblem(key: string, value: string): Problem | undefined {
  if (keyProblem(key)) return NAME_LIKE.test(key) ? { rule: 'key_name', key } : { rule: 'key_name' }
  const rule = valueProblem(value)
  if (rule) return { rule, key }
  const unknown = unknownPlaceholder(value)
  if (unknown !== undefined) return { rule: 'placeholder_unknown', key, placeholder: unknown }
  // It could be stored and never be written, and nothing else of the Instance with it (ENV-042).
  const placeholder = unresolvedPart(resolvePlaceholders(value, { domain: 'x', environment: 'x' }))
  return placeholder === undefined ? undefined : { rule: 'placeholder_unresolved', key, placeholder }
}

/** The source profile of an Instance with the rules of its Project's type. */
export interface Source {
  readonly profile: Profile
  /** Every Instance of the type has a Route of its own. */
  readonly needsRoute: boolean
}

/**
 * `APP_URL` follows the own Route of the first framework's Instances; PRJ-025 leaves the second alone. An Instance without
 * one keeps its own value: the placeholder could not be resolved, and no synchronization would succeed (decision 0142).
 */
const followsRoute = ({ profile, needsRoute }: Source): boolean =>
  needsRoute && profile.framework === 'laravel'

export const appUrlProblem = (source: Source, key: string, value: string): Problem | undefined =>
  followsRoute(source) && key === 'APP_URL' && value !== APP_URL ? { rule: 'app_url', key } : undefined

/**
 * The bounds of everything stored together (ENV-079, ENV-080). Placeholders count unresolved; synchronization measures
 * again.
 */
export function setProblem(values: Values, reader: Reader): Problem | undefined {
  if (values.size > ENVIRONMENT_LIMITS.keys) return { rule: 'key_count' }
  return byteLength(renderFile(values, reader)) > ENVIRONMENT_LIMITS.fileBytes
    ? { rule: 'file_size' }
    : undefined
}

/** What import stores for the values of a file (ENV-032 to ENV-036). */
export function importedValues(
  file: Values,
  stored: Values,
  source: Source,
  ids: Pick<Ids, 'bytes'>,
): Values {
  const values = new Map(file)
  if (followsRoute(source) && (values.has('APP_URL') || !stored.has('APP_URL')))
    values.set('APP_URL', APP_URL)
  if (source.profile.framework !== null && values.get('APP_KEY') === '') {
    // An empty text counts as no key, so `||`.
    values.set('APP_KEY', stored.get('APP_KEY') || newApplicationKey(ids))
  }
  return values
}

const APPLICATION_KEY_BYTES = 32

const newApplicationKey = (ids: Pick<Ids, 'bytes'>): string =>
  `base64:${Buffer.from(ids.bytes(APPLICATION_KEY_BYTES)).toString('base64')}`

/** Keys of the file that are stored already (ENV-030). */
export const conflictingKeys = (file: Values, stored: Values): readonly string[] =>
  [...file.keys()].filter((key) => stored.has(key)).toSorted()

/** Stored and imported values together: matching keys take the imported value, others stay (ENV-031). */
export const mergedValues = (stored: Values, imported: Values): Values => new Map([...stored, ...imported])

/** The entries whose value is new or another one. */
export const changedValues = (stored: Values, next: Values): Values =>
  new Map([...next].filter(([key, value]) => stored.get(key) !== value))

/** Values with their placeholders replaced, and the first that cannot be written (ENV-040 to ENV-042). */
export function resolvedValues(
  values: Values,
  placeholders: PlaceholderValues,
): { readonly resolved: Values; readonly problem?: Problem } {
  const resolved = new Map<string, string>()
  for (const [key, value] of values) {
    const text = resolvePlaceholders(value, placeholders)
    const placeholder = unresolvedPart(text)
    if (placeholder !== undefined)
      return { resolved, problem: { rule: 'placeholder_unresolved', key, placeholder } }
    resolved.set(key, text)
  }
  return { resolved }
}

/** Names in the file that neither storage nor a write of ours accounts for (ENV-048, ENV-049). */
export const droppedNames = (
  inFile: Iterable<string>,
  ...accounted: readonly Iterable<string>[]
): readonly string[] => {
  const ours = new Set(accounted.flatMap((names) => [...names]))
  return [...inFile].filter((name) => !ours.has(name)).toSorted()
}

/**
 * Keys that the file has with another value than is written now, although the stored one is that of the last synchronization: somebody
 * changed them in the file. Of a file that cannot be read, every key that is written and that it names.
 */
export function replacedKeys(
  content: Uint8Array,
  written: Values,
  isOurs: (key: string) => boolean,
): readonly string[] {
  const names = [...keyNames(content).names].filter((key) => written.has(key) && !isOurs(key)).toSorted()
  try {
    const found = parseFile(content)
    return names.filter((key) => found.get(key) !== written.get(key))
  } catch (error) {
    if (error instanceof FormatRefused) return names
    throw error
  }
}

/** Plain PHP and the first framework read with phpdotenv; the second brings a reader of its own with the general rules. */
export const readerOf = (profile: Profile): Reader =>
  profile.php && profile.framework !== 'symfony' ? 'phpdotenv' : 'general'

// 28 bytes of nonce and tag in base64 are part of every sealed text; an escape can double a byte.
const WORST_GROWTH = 1.5

/**
 * An upper limit of the size of the rendered file, from sealed texts alone, because nothing is decrypted yet (ENV-043).
 */
export const mostBytes = (sealed: ReadonlyArray<{ readonly key: string; readonly value: string }>): number =>
  Math.min(
    ENVIRONMENT_LIMITS.fileBytes,
    sealed.reduce((sum, { key, value }) => sum + key.length + value.length * WORST_GROWTH, 0),
  )
