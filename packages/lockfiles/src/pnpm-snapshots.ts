import { digestId } from './digest.ts'
import { type Fields, fieldsOf, optionalText, sectionOf, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeMember, type Member, type Package } from './graph-builder.ts'
import { optionalPeers } from './manifest.ts'
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

/** Snapshots by their keys. Each needs its package, and each package a snapshot. */
export function snapshotsOf(lock: Fields, origin: Origin): ReadonlyMap<string, Snapshot> {
  const packages = new Map(Object.entries(sectionOf(lock['packages'], origin)))
  const snapshots = new Map<string, Snapshot>()
  const used = new Set<string>()
  for (const [text, value] of Object.entries(sectionOf(lock['snapshots'], origin))) {
    const key = keyOf(textOf(text, origin), origin)
    const entry = packages.get(key.base) ?? refuse(origin, 'snapshot')
    used.add(key.base)
    snapshots.set(text, snapshotOf(text, key, fieldsOf(value, origin), fieldsOf(entry, origin), origin))
  }
  if (used.size !== packages.size) refuse(origin, 'snapshot')
  return snapshots
}

const snapshotOf = (text: string, key: Key, snapshot: Fields, entry: Fields, origin: Origin): Snapshot => ({
  member: makeMember(resolutionOf(text, key, entry, origin)),
  dependencies: sectionOf(snapshot['dependencies'], origin),
  optionalDependencies: sectionOf(snapshot['optionalDependencies'], origin),
  peerDependencies: sectionOf(entry['peerDependencies'], origin),
  optionalPeers: optionalPeers(entry['peerDependenciesMeta'], origin),
})

/** The key that a reference leads to; a link leads out of the lock. */
export function keyOfReference(name: string, reference: string, origin: Origin): string {
  if (reference.startsWith('link:')) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  return referenceKey(name, reference)
}

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
