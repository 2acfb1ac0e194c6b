import { type Fields, fieldsOf, listOf, optionalText, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import type { Scope } from './graph.ts'
import {
  type GraphBuilder,
  makeGraphBuilder,
  makeMember,
  type Member,
  openRequirement,
} from './graph-builder.ts'
import { composerName, isPlatform, links, type Links, standIns } from './composer-links.ts'
import { type ComposerManifest, composerManifest } from './composer-manifest.ts'
import type { Read } from './js-source.ts'
import { isPrintableJson, parseJson } from './json.ts'

interface Locked {
  readonly name: string
  readonly member: Member
  readonly requires: Links
  /** Names that the package provides or replaces. */
  readonly standsFor: readonly string[]
}

/** composer.lock with `packages` and `packages-dev`, beside composer.json (DEX-016). It is never stale (DEX-028). */
export function readComposer(manifestText: string, lockText: string): Read {
  const manifest = composerManifest(manifestText)
  const isPrintable = isPrintableJson(lockText)
  const origin: Origin = {
    file: 'composer.lock',
    invalid: 'dependencies.invalid_composer_input',
    isPrintable,
  }
  const lock = fieldsOf(parseJson(lockText, origin), origin)
  const generation = generationOf(lock, origin)
  const packages = [
    ...packagesOf(lock['packages'], 'regular', origin),
    ...packagesOf(lock['packages-dev'] ?? [], 'development', origin),
  ]
  const graph = makeGraphBuilder('composer', origin)
  for (const { member } of packages) graph.add(member)
  const members = new Map(packages.map(({ name, member }) => [name, member]))
  if (members.size < packages.length) refuse(origin, 'duplicate_package')
  checkAliases(lock, members, origin)
  addRequirements(graph, manifest, packages, targets(members, packages), origin)
  return { format: `composer-${generation}`, graph: graph.finish() }
}

/** Locks before Composer 1.10 do not name the version of the plugin interface. */
function generationOf(lock: Fields, origin: Origin): string {
  const version = optionalText(lock['plugin-api-version'], origin) ?? '1'
  const [major = ''] = version.split('.')
  if (major !== '1' && major !== '2') refuse(origin, 'format_version', 'dependencies.unsupported_format')
  return major
}

const packagesOf = (section: unknown, scope: Scope, origin: Origin): readonly Locked[] =>
  Array.isArray(section)
    ? section.map((one) => packageOf(fieldsOf(one, origin), scope, origin))
    : refuse(origin, 'wrong_type')

function packageOf(entry: Fields, scope: Scope, origin: Origin): Locked {
  const source = sourceOf(entry['source'], origin)
  const dist = sourceOf(entry['dist'], origin)
  if (source['type'] === 'path' || dist['type'] === 'path')
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const name = composerName(textOf(entry['name'], origin), origin)
  const version = textOf(entry['version'], origin) || refuse(origin, 'identity')
  // An address may hold a credential, so of where a package comes from only its revision is kept.
  const reference = filled(source['reference'], origin) ?? filled(dist['reference'], origin)
  const integrity = filled(dist['shasum'], origin)
  return {
    name,
    member: makeMember({ id: name, name, version, reference, integrity }, scope),
    requires: links(entry['require'], origin),
    standsFor: [...standIns(entry['provide'], origin), ...standIns(entry['replace'], origin)],
  }
}

const sourceOf = (value: unknown, origin: Origin): Fields =>
  value === undefined || value === null ? {} : fieldsOf(value, origin)

const filled = (value: unknown, origin: Origin): string | undefined =>
  value === null ? undefined : optionalText(value, origin) || undefined

/** An alias gives a locked package another version for its requirements; it is no package itself. */
function checkAliases(lock: Fields, members: ReadonlyMap<string, Member>, origin: Origin): void {
  for (const alias of listOf(lock['aliases'] ?? undefined, origin))
    if (!members.has(textOf(fieldsOf(alias, origin)['package'], origin).toLowerCase()))
      refuse(origin, 'alias')
}

function addRequirements(
  graph: GraphBuilder,
  manifest: ComposerManifest,
  packages: readonly Locked[],
  targetOf: (name: string) => Found,
  origin: Origin,
): void {
  const add = (source: Member | undefined, section: Links, scope: Scope): void => {
    for (const [name, constraint] of section) {
      const { target, isMissing } = targetOf(name)
      // A lock may be older than composer.json, but its packages need what they require.
      if (isMissing && source !== undefined && !manifest.standsFor.has(name))
        refuse(origin, 'missing_package')
      graph.require(source, target, openRequirement(name, constraint, 'dependency', scope, false))
    }
  }
  add(undefined, manifest.requires, 'regular')
  add(undefined, manifest.developmentRequires, 'development')
  for (const { member, requires } of packages) add(member, requires, 'regular')
}

interface Found {
  readonly target: Member | undefined
  /** Neither the platform nor any package of the lock satisfies the name. */
  readonly isMissing: boolean
}

/** The package of a name, or the only one that provides or replaces it. What the platform brings has no package. */
function targets(members: ReadonlyMap<string, Member>, packages: readonly Locked[]): (name: string) => Found {
  const others = new Map<string, Set<Member>>()
  for (const { member, standsFor } of packages)
    for (const other of standsFor) others.set(other, (others.get(other) ?? new Set()).add(member))
  return (name) => {
    const target = members.get(name)
    if (target !== undefined) return { target, isMissing: false }
    if (isPlatform(name)) return { target: undefined, isMissing: false }
    const found = others.get(name)
    // If there are several substitutes, the lock does not say which one was meant.
    const [only] = found?.size === 1 ? found : []
    return { target: only, isMissing: found === undefined }
  }
}
