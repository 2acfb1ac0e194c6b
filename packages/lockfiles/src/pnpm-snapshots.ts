import { digestId } from './digest.ts'
import { type Fields, fieldsOf, optionalText, sectionOf, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeMember, type Member, type Package } from './graph-builder.ts'
import { optionalPeers } from './manifest.ts'
import { packageName } from './package-name.ts'
import { isAddress, type Key, keyOf, referenceKey } from './pnpm-key.ts'
import { revisionOf } from './specifier.ts'

/** A package in one context of peers. */
export interface Snapshot {
  readonly member: Member
  /** Name → reference to the snapshot that was chosen, peers included, as it is in the lock. */
  readonly dependencies: Fields
  readonly optionalDependencies: Fields
  /** Name → range, as it is in the lock. */
  readonly peerDependencies: Fields
  readonly optionalPeers: ReadonlySet<string>
}

export interface Snapshots {
  readonly byKey: ReadonlyMap<string, Snapshot>
  /** One snapshot of each name with the reference that leads to it: most names have no other, and need no key then. */
  readonly byName: ReadonlyMap<string, Referenced>
}

interface Referenced {
  readonly reference: string
  readonly member: Member
}

/** Snapshots by their keys. Each needs its package, and each package a snapshot. */
export function snapshotsOf(lock: Fields, origin: Origin): Snapshots {
  const packages = sectionOf(lock['packages'], origin)
  const byKey = new Map<string, Snapshot>()
  const byName = new Map<string, Referenced>()
  const used = new Set<string>()
  for (const [text, snapshot] of Object.entries(sectionOf(lock['snapshots'], origin))) {
    const key = keyOf(textOf(text, origin), origin)
    if (!Object.hasOwn(packages, key.base)) refuse(origin, 'snapshot')
    used.add(key.base)
    const one = snapshotOf(
      text,
      key,
      fieldsOf(snapshot, origin),
      fieldsOf(packages[key.base], origin),
      origin,
    )
    byKey.set(text, one)
    const reference = text.slice(key.name.length + 1)
    if (!isLink(reference)) byName.set(key.name, { reference, member: one.member })
  }
  if (used.size !== Object.keys(packages).length) refuse(origin, 'snapshot')
  return { byKey, byName }
}

const snapshotOf = (text: string, key: Key, snapshot: Fields, entry: Fields, origin: Origin): Snapshot => ({
  member: makeMember(resolutionOf(text, key, entry, origin)),
  dependencies: sectionOf(snapshot['dependencies'], origin),
  optionalDependencies: sectionOf(snapshot['optionalDependencies'], origin),
  peerDependencies: sectionOf(entry['peerDependencies'], origin),
  optionalPeers: optionalPeers(entry['peerDependenciesMeta'], origin),
})

/** What a reference of a name leads to; a link leads out of the lock. */
export function chosen(name: string, value: unknown, { byKey, byName }: Snapshots, origin: Origin): Member {
  const known = byName.get(name)
  if (known !== undefined && known.reference === value) return known.member
  const reference = textOf(value, origin)
  if (isLink(reference)) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const found = byKey.get(referenceKey(name, reference))?.member
  // The names of packages are checked; another name is an alias.
  if (found?.resolution.name !== name) packageName(name, origin)
  return found ?? refuse(origin, 'missing_package')
}

const isLink = (reference: string): boolean => reference.startsWith('link:')

function resolutionOf(text: string, key: Key, entry: Fields, origin: Origin): Package {
  const resolution = fieldsOf(entry['resolution'], origin)
  const archive = optionalText(resolution['tarball'], origin)
  if (
    resolution['type'] === 'directory' ||
    key.version.startsWith('file:') ||
    archive?.startsWith('file:') === true
  )
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const commit = optionalText(resolution['commit'], origin)
  const reference = commit ?? (archive === undefined ? undefined : revisionOf(archive))
  const integrity = optionalText(resolution['integrity'], origin)
  const id = isAddress(text) ? digestId('pnpm', text) : text
  const version = optionalText(entry['version'], origin)
  return {
    id,
    name: key.name,
    version: version ?? (isAddress(key.version) ? (reference ?? id) : key.version),
    reference,
    integrity,
  }
}
