import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Removes all but the newest releases; those that are named stay whatever their age. */
export function pruneReleases(folder: string, keep: number, named: ReadonlySet<string>): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const unfinished = entries.filter(({ name }) => name.startsWith('.'))
  const others = entries
    .filter(({ name }) => !name.startsWith('.') && !named.has(name))
    .map(({ name }) => ({ name, made: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => b.made - a.made)
  const gone = [...unfinished, ...others.slice(Math.max(0, keep - named.size))].map(({ name }) => name)
  for (const name of gone) rmSync(join(folder, name), { recursive: true, force: true })
  return gone
}

/** Releases that were unpacked to their end, by name. */
export const releasesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .toSorted()
