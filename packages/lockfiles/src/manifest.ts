import { type Fields, fieldsOf, listOf, optionalFields, textsOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import type { Scope } from './graph.ts'
import { parseJson } from './json.ts'
import { packageName } from './package-name.ts'
import { isLocal } from './specifier.ts'

/** The sections of dependencies of a package.json, or of the copy of it that a lock keeps. */
export interface Sections {
  readonly dependencies: ReadonlyMap<string, string>
  readonly devDependencies: ReadonlyMap<string, string>
  readonly optionalDependencies: ReadonlyMap<string, string>
  readonly peerDependencies: ReadonlyMap<string, string>
  /** Peers that may be missing. */
  readonly optionalPeers: ReadonlySet<string>
}

export interface Manifest {
  readonly sections: Sections
  readonly fields: Fields
}

/** A requirement of the root. */
export interface Declared {
  readonly name: string
  readonly constraint: string
  readonly kind: 'dependency' | 'peer'
  readonly scope: Scope
  readonly optional: boolean
}

export const MANIFEST: Origin = { file: 'package.json', invalid: 'dependencies.invalid_manifest' }

/** package.json, which may declare neither a workspace nor packages from local paths (DEX-024). */
export function parseManifest(text: string): Manifest {
  const fields = fieldsOf(parseJson(text, MANIFEST), MANIFEST)
  const sections = sectionsOf(fields, MANIFEST)
  if (hasWorkspaces(fields['workspaces'])) refuse(MANIFEST, 'workspaces', 'dependencies.unsupported_layout')
  return { sections, fields }
}

export function hasWorkspaces(value: unknown): boolean {
  if (value === undefined || value === null) return false
  const packages = Array.isArray(value) ? value : optionalFields(value, MANIFEST)?.['packages']
  return packages !== undefined && listOf(packages, MANIFEST).length > 0
}

/** Optional dependencies replace the ones of the same name, as they do for every manager. */
export function sectionsOf(fields: Fields, origin: Origin): Sections {
  const optionalDependencies = named(fields['optionalDependencies'], origin)
  const dependencies = named(fields['dependencies'], origin)
  return {
    dependencies: new Map([...dependencies].filter(([name]) => !optionalDependencies.has(name))),
    devDependencies: named(fields['devDependencies'], origin),
    optionalDependencies,
    peerDependencies: named(fields['peerDependencies'], origin),
    optionalPeers: optionalPeers(fields['peerDependenciesMeta'], origin),
  }
}

export function optionalPeers(meta: unknown, origin: Origin): ReadonlySet<string> {
  if (meta === undefined) return NONE
  const fields = fieldsOf(meta, origin)
  const names = new Set<string>()
  // What JSON.parse makes has its own names alone.
  for (const name in fields)
    if (optionalFields(fields[name], origin)?.['optional'] === true) names.add(packageName(name, origin))
  return names
}

const NONE: ReadonlySet<string> = new Set()

/** Name → specifier. */
export function named(value: unknown, origin: Origin): ReadonlyMap<string, string> {
  const texts = textsOf(value, origin)
  for (const name of texts.keys()) packageName(name, origin)
  return texts
}

/** The section that decides where a name is in two of them: the later one of this order. */
export type Order = readonly ('peers' | 'regular' | 'optional' | 'development')[]

export const DEVELOPMENT_DECIDES: Order = ['peers', 'regular', 'optional', 'development']
export const REGULAR_DECIDES: Order = ['peers', 'development', 'regular', 'optional']

/** What the root requires, each name once; a peer only where the root does not bring the package itself. */
export function declaredBy(sections: Sections, order: Order = DEVELOPMENT_DECIDES): readonly Declared[] {
  const declared = new Map<string, Declared>()
  const parts: Readonly<Record<Order[number], readonly Declared[]>> = {
    peers: section(sections.peerDependencies, 'peer', 'regular', (name) => sections.optionalPeers.has(name)),
    regular: section(sections.dependencies, 'dependency', 'regular', () => false),
    optional: section(sections.optionalDependencies, 'dependency', 'regular', () => true),
    development: section(sections.devDependencies, 'dependency', 'development', () => false),
  }
  for (const part of order) for (const one of parts[part]) declared.set(one.name, one)
  return [...declared.values()]
}

const section = (
  specifiers: ReadonlyMap<string, string>,
  kind: Declared['kind'],
  scope: Scope,
  isOptional: (name: string) => boolean,
): readonly Declared[] =>
  [...specifiers].map(([name, constraint]) => ({
    name,
    constraint,
    kind,
    scope,
    optional: isOptional(name),
  }))

/** Refuses specifiers that lead to the machine that made the lock. */
export function refuseLocal(sections: Sections, origin: Origin = MANIFEST): void {
  for (const { constraint } of declaredBy(sections))
    if (isLocal(constraint)) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
}
