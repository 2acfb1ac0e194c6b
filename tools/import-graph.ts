import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { importsOf } from './boundaries.ts'
import type { SourceFile } from './tree.ts'

/** Specifier of a workspace's entry (`@fleet/sdk/core`) → the file behind it. */
export type Entries = ReadonlyMap<string, string>

/** File → the files of the tree that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string>>
}

/** The entries that the `package.json` of each workspace exports. */
export function readEntries(root: string): Entries {
  const manifests = globSync('{packages,apps}/*/package.json', { cwd: root })
  return new Map(
    manifests.flatMap((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest // npm refuses a broken one.
      return Object.entries(exports).map(([entry, target]): [string, string] => [
        posix.join(name, entry),
        posix.join(dirname(path), target),
      ])
    }),
  )
}

/** All imports, types included, or only those that are still there when the program runs. */
export type Imports = 'all' | 'running'

/** The graph of a tree. Modules from elsewhere (Node's own, packages of the registry) are left out. */
export function importGraph(
  tree: readonly SourceFile[],
  entries: Entries,
  imports: Imports = 'all',
): ImportGraph {
  const paths = new Set(tree.map(({ path }) => path))
  return new Map(
    tree.map((file) => {
      const targets = importsOf(file)
        .filter(({ isType }) => imports === 'all' || !isType)
        .map(({ specifier }) => targetOf(file.path, specifier, entries))
      return [
        file.path,
        new Set(targets.filter((target) => target !== undefined && paths.has(target))),
      ] as const
    }),
  ) as ImportGraph // The filter above leaves no undefined.
}

function targetOf(file: string, specifier: string, entries: Entries): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  if (specifier.startsWith('#/')) return posix.join(...file.split('/').slice(0, 2), 'src', specifier.slice(2))
  return entries.get(specifier)
}

/** Everything from which a walk along the edges reaches one of the files, the files included. */
export const importersOf = (graph: ImportGraph, files: Iterable<string>): ReadonlySet<string> =>
  new Set(importDistances(graph, files).keys())

/** The same files, each with the number of imports on the shortest walk; the given files have 0. */
export function importDistances(graph: ImportGraph, files: Iterable<string>): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>()
  for (const [from, targets] of graph)
    for (const to of targets) importers.set(to, [...(importers.get(to) ?? []), from])
  const distances = new Map([...files].map((file) => [file, 0]))
  // A map takes new members while it is walked, and visits them.
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  return distances
}
