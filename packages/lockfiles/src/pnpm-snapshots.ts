import { digestId } from './digest.ts'
import { textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { makeMember, type Member, type OpenRequirement, type Package } from './graph-builder.ts'
import { packageName } from './package-name.ts'
import type { ProjectDocument } from './pnpm-documents.ts'
import { isAddress, type Key, keyOf, aliasedKey } from './pnpm-key.ts'
import { makePackages, type PackageEntry } from './pnpm-packages.ts'
import { revisionOf } from './specifier.ts'

/** A package in one context of peers. */
export interface Snapshot {
  readonly member: Member
  readonly entry: PackageEntry
  /** Its dependencies, peers included. Until `addChosen` the constraint of each is the reference that was chosen. */
  readonly chosen: readonly OpenRequirement[]
}

export interface Snapshots {
  readonly all: readonly Snapshot[]
  /** The one of a name with what follows the name in its key. */
  find(name: string, reference: string): Member | undefined
}

/** Snapshots by their keys. Each needs its package, and each package a snapshot. */
export function snapshotsOf(lock: ProjectDocument, origin: Origin): Snapshots {
  const packages = makePackages(lock.packages ?? { bases: [], entries: [] })
  const all: Snapshot[] = []
  const names = makeNames()
  for (const { text, chosen } of lock.snapshots ?? []) {
    const key = keyOf(textOf(text, origin), origin)
    const entry = packages.take(key.base) ?? refuse(origin, 'snapshot')
    const member = makeMember(resolutionOf(text, key, entry, origin))
    all.push({ member, entry, chosen })
    const reference = text.slice(key.name.length + 1)
    if (!isLink(reference)) names.add(key.name, reference, member)
  }
  if (packages.areLeft()) refuse(origin, 'snapshot')
  return { all, find: names.find }
}

interface Names {
  add(name: string, reference: string, member: Member): void
  find: Snapshots['find']
}

interface Named {
  readonly reference: string
  readonly member: Member
  next: Named | undefined
}

/** So many snapshots of one name are compared. Most names have one or two, and a map of all keys costs more. */
const FEW = 16

function makeNames(): Names {
  const first = new Map<string, Named>()
  const many = new Map<string, Map<string, Member>>()
  return {
    add(name, reference, member) {
      const one = first.get(name)
      if (one === undefined) first.set(name, { reference, member, next: undefined })
      else one.next = { reference, member, next: one.next }
    },
    find(name, reference) {
      let one = first.get(name)
      for (let tried = 0; one !== undefined && tried < FEW; tried += 1, one = one.next)
        if (one.reference === reference) return one.member
      if (one === undefined) return undefined
      const members = many.get(name) ?? new Map<string, Member>()
      if (members.size === 0) for (; one !== undefined; one = one.next) members.set(one.reference, one.member)
      many.set(name, members)
      return members.get(reference)
    },
  }
}

/** What a reference of a name leads to; a link leads out of the lock. */
export function targetOf(name: string, reference: string, snapshots: Snapshots, origin: Origin): Member {
  const found = snapshots.find(name, reference)
  if (found !== undefined) return found
  if (isLink(reference)) refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  // The names of packages are checked; another name is an alias.
  packageName(name, origin)
  const key = aliasedKey(reference)
  return (key && snapshots.find(key.name, key.rest)) ?? refuse(origin, 'missing_package')
}

const isLink = (reference: string): boolean => reference.startsWith('link:')

function resolutionOf(text: string, key: Key, entry: PackageEntry, origin: Origin): Package {
  const { version, archive, commit, integrity, isDirectory } = entry
  if (isDirectory || key.version.startsWith('file:') || archive?.startsWith('file:') === true)
    refuse(origin, 'local_package', 'dependencies.unsupported_layout')
  const reference = commit ?? (archive === undefined ? undefined : revisionOf(archive))
  const isFromAddress = isAddress(text)
  const id = isFromAddress ? digestId('pnpm', text) : text
  return {
    id,
    name: key.name,
    version: version ?? (isFromAddress && isAddress(key.version) ? (reference ?? id) : key.version),
    reference,
    integrity,
  }
}
