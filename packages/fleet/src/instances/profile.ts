import type { ErrorCode } from '@fleet/contract'
import type { Framework, SourceProfile } from './record.ts'

/** What is at the path of a marker: nothing, a regular file, one too large to read, or anything else. */
export type EntryKind = 'absent' | 'file' | 'large' | 'other'

export interface SourceEvidence {
  readonly artisan: EntryKind
  readonly console: EntryKind
  readonly composer: EntryKind
  /** Content of `composer.json` when it is a file. */
  readonly manifest: string
}

export type ProfileFinding =
  | { readonly profile: Pick<SourceProfile, 'framework' | 'php'> }
  | { readonly code: ErrorCode; readonly file: string }

const LARAVEL = 'laravel/framework'
const SYMFONY = 'symfony/framework-bundle'

/**
 * Determines the kind of a source from its markers (PRJ-022 to PRJ-024). A marker without its declaration is an error,
 * because half a framework would be served wrongly; so is a marker that is a link, a directory or too large (PRJ-026).
 */
export function detectProfile(evidence: SourceEvidence): ProfileFinding {
  const unsafe = unsafeFile(evidence)
  if (unsafe) return { code: 'app-dev.source_metadata_unsafe', file: unsafe }
  const requires = readRequires(evidence)
  if (evidence.artisan === 'file') {
    return requires.all.filter((name) => name === LARAVEL).length === 1
      ? found('laravel', true)
      : { code: 'app-dev.laravel_source_invalid', file: 'composer.json' }
  }
  if (evidence.console === 'file') {
    return requires.runtime.includes(SYMFONY)
      ? found('symfony', true)
      : { code: 'app-dev.symfony_source_invalid', file: 'composer.json' }
  }
  return found(null, evidence.composer === 'file')
}

const found = (framework: Framework | null, php: boolean): ProfileFinding => ({ profile: { framework, php } })

const unsafeFile = ({ artisan, console: entry, composer }: SourceEvidence): string | undefined => {
  const bad = (kind: EntryKind): boolean => kind === 'other' || kind === 'large'
  if (bad(artisan)) return 'artisan'
  if (bad(entry)) return 'bin/console'
  return bad(composer) ? 'composer.json' : undefined
}

interface Requires {
  readonly runtime: readonly string[]
  /** Both sections after another, so that a name declared in each counts twice. */
  readonly all: readonly string[]
}

const readRequires = ({ composer, manifest }: SourceEvidence): Requires => {
  const parsed = composer === 'file' ? parseObject(manifest) : {}
  const runtime = namesIn(parsed['require'])
  return { runtime, all: [...runtime, ...namesIn(parsed['require-dev'])] }
}

// Package names of Composer are case-insensitive.
const namesIn = (section: unknown): readonly string[] =>
  isObject(section) ? Object.keys(section).map((name) => name.toLowerCase()) : []

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
