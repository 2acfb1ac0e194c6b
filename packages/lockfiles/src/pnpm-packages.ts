import { textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { packageName } from './package-name.ts'
import type { YamlReader } from './yaml-reader.ts'

/** What `packages` says of a package; snapshots that differ in their peers share it. */
export interface PackageEntry {
  readonly version: string | undefined
  readonly integrity: string | undefined
  /** Where the package comes from, if not from a registry. */
  readonly archive: string | undefined
  readonly commit: string | undefined
  readonly isDirectory: boolean
  /** Name → range. */
  readonly peerDependencies: ReadonlyMap<string, string>
  readonly optionalPeers: ReadonlySet<string>
}

/** The section `packages`, in its order. */
export interface PackageEntries {
  readonly bases: readonly string[]
  readonly entries: readonly PackageEntry[]
}

export interface Packages {
  /** What is written under a key of `packages`. */
  take(base: string): PackageEntry | undefined
  /** Whether a package was never taken. */
  areLeft(): boolean
}

/** pnpm sorts packages and snapshots alike, so the next one is mostly where the last one was or right behind it. */
export function makePackages({ bases, entries }: PackageEntries): Packages {
  const taken = new Uint8Array(bases.length)
  let positions: ReadonlyMap<string, number> | undefined
  let at = 0
  const move = (base: string): boolean => {
    if (bases[at] === base) return true
    if (bases[at + 1] !== base) {
      positions ??= new Map(bases.map((one, position) => [one, position]))
      const found = positions.get(base)
      if (found === undefined) return false
      at = found
    } else at += 1
    return true
  }
  return {
    take(base) {
      if (!move(base)) return undefined
      taken[at] = 1
      return entries[at]
    },
    areLeft: () => taken.includes(0),
  }
}

export function readPackages(reader: YamlReader, origin: Origin): PackageEntries {
  const bases: string[] = []
  const entries: PackageEntry[] = []
  const entryOf = makeEntryReader(reader, origin)
  reader.pairs((base) => {
    bases.push(base)
    entries.push(entryOf())
  })
  return { bases, entries }
}

/** Reads one entry after the other; what it needs for that is made once, because a lock has thousands. */
function makeEntryReader(reader: YamlReader, origin: Origin): () => PackageEntry {
  let entry = emptyEntry()
  let isResolved = false
  const takeResolution = (key: string): void => {
    if (key === 'integrity') entry.integrity = textOf(reader.text(), origin)
    else if (key === 'tarball') entry.archive = textOf(reader.text(), origin)
    else if (key === 'commit') entry.commit = textOf(reader.text(), origin)
    else if (key === 'type') entry.isDirectory = reader.text() === 'directory'
    else reader.skip()
  }
  const take = (key: string): void => {
    if (key === 'version') entry.version = textOf(reader.text(), origin)
    else if (key === 'peerDependencies') entry.peerDependencies = textsIn(reader, origin)
    else if (key === 'peerDependenciesMeta') entry.optionalPeers = optionalPeersIn(reader, origin)
    else if (key === 'resolution') {
      isResolved = true
      reader.pairs(takeResolution)
    } else reader.skip()
  }
  return () => {
    entry = emptyEntry()
    isResolved = false
    reader.pairs(take)
    return isResolved ? entry : refuse(origin, 'wrong_type')
  }
}

type OpenEntry = { -readonly [Key in keyof PackageEntry]: PackageEntry[Key] }

const emptyEntry = (): OpenEntry => ({
  version: undefined,
  integrity: undefined,
  archive: undefined,
  commit: undefined,
  isDirectory: false,
  peerDependencies: NOTHING,
  optionalPeers: NONE,
})

function textsIn(reader: YamlReader, origin: Origin): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  reader.pairs((name) => void texts.set(textOf(name, origin), textOf(reader.text(), origin)))
  return texts
}

function optionalPeersIn(reader: YamlReader, origin: Origin): ReadonlySet<string> {
  const names = new Set<string>()
  reader.pairs((name) =>
    reader.pairs((key) => {
      if (key !== 'optional') reader.skip()
      else if (reader.isTrue()) names.add(packageName(name, origin))
    }),
  )
  return names
}

const NOTHING: ReadonlyMap<string, string> = new Map()
const NONE: ReadonlySet<string> = new Set()
