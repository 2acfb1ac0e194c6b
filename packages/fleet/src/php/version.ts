import type { ErrorCode } from '@fleet/contract'
import type { Details } from '@fleet/kernel'
import { InvalidConstraint, satisfies } from '#/php/constraint.ts'
import type { PhpVersion } from '#/php/php.ts'

/** A PHP that a Node has, or whose packages it can install. */
export interface AvailablePhp {
  /** `8.2` */
  readonly version: string
  /** `8.2.29`: what a requirement is compared with. */
  readonly release: string
}

/**
 * `require.php` of a composer.json; undefined without one. A file that is not JSON requires nothing: other checks refuse it.
 */
export function requirementIn(manifest: string): string | undefined {
  const { php } = byName(fieldsOf(parsed(manifest))['require'])
  if (php === undefined) return undefined
  return typeof php === 'string' ? php : ''
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

/** Package names of Composer are case-insensitive. */
const byName = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, field]) => [name.toLowerCase(), field]))

/** A version, or why there is none. */
export type PhpChoice =
  | { readonly version: PhpVersion }
  | { readonly code: ErrorCode; readonly details?: Details }

/**
 * What runs a source: the newest version that fits, or the recorded one as long as it fits (RTX-115 to RTX-117). Without
 * composer.json there is nothing to run.
 */
export function choosePhp(
  manifest: string | undefined,
  available: readonly AvailablePhp[],
  recorded?: PhpVersion,
): PhpChoice {
  if (manifest === undefined)
    return typeof recorded === 'string' ? changed({ version: recorded }) : { version: null }
  if (recorded === null) return changed({ version: null })
  const constraint = requirementIn(manifest)
  const details = {
    constraint: shown(constraint ?? '*'),
    available: available.toSorted(byVersion).map(versionOf),
  }
  const known = recorded === undefined ? available : available.filter(({ version }) => version === recorded)
  if (known.length === 0) return { code: 'app-dev.php_package_source_unavailable', details }
  const fitting = fittingOf(constraint, known)
  if (fitting === undefined) return { code: 'app-dev.php_version_unsupported', details }
  const [newest] = fitting.toSorted(byVersion)
  if (newest) return { version: newest.version }
  return recorded === undefined
    ? { code: 'app-dev.php_version_unsupported', details }
    : changed({ version: recorded, constraint: details.constraint })
}

/** The same on a Node that is to run the source next: the recorded version is kept where that one has it. */
export function choosePhpThere(
  manifest: string,
  available: readonly AvailablePhp[],
  recorded?: PhpVersion,
): PhpChoice {
  const isKnown = available.some(({ version }) => version === recorded)
  return choosePhp(manifest, available, typeof recorded === 'string' && !isKnown ? undefined : recorded)
}

const changed = (details: Details): PhpChoice => ({ code: 'app-dev.source_evidence_changed', details })
const versionOf = ({ version }: AvailablePhp): string => version

/** Undefined for a requirement that Composer refuses too. */
function fittingOf(
  constraint: string | undefined,
  available: readonly AvailablePhp[],
): readonly AvailablePhp[] | undefined {
  if (constraint === undefined) return available
  try {
    return available.filter(({ release }) => satisfies(release, constraint))
  } catch (error) {
    if (error instanceof InvalidConstraint) return undefined
    throw error
  }
}

const MAX_SHOWN = 100
/** Somebody's text: one line of it, bounded. */
const shown = (text: string): string => text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').slice(0, MAX_SHOWN)

const byVersion = (one: AvailablePhp, other: AvailablePhp): number =>
  other.version.localeCompare(one.version, 'en', { numeric: true })
