import * as z from 'zod'
import { plainText, readJson } from '#/tools/managers/json.ts'
import type { PackageState } from '#/tools/managers/manager.ts'

const entry = z.object({
  name: plainText,
  'direct-dependency': z.boolean().optional(),
  version: plainText,
})
/** Composer prints a list instead of an object when nothing is installed. */
const shown = z.union([z.array(z.never()), z.object({ installed: z.array(entry).default([]) })])

/** The state of a package in what `composer global show` prints; what only other packages require is no Tool. */
export function readInstalled(
  printed: string,
  name: string,
): Pick<PackageState, 'installed' | 'isPresent' | 'block'> {
  const read = readJson(printed, shown)
  const found = Array.isArray(read) ? undefined : read.installed.find((one) => one.name === name)
  if (!found) return { installed: undefined, isPresent: false }
  if (found['direct-dependency'] === false)
    return { installed: undefined, isPresent: false, block: 'dependency' }
  return { installed: found.version, isPresent: true }
}

/**
 * The version that a dry run of `composer global require` would leave, which is the installed one where nothing changes; undefined
 * where Composer finds none for this machine and beside the other packages.
 */
export function readOffered(
  printed: string,
  name: string,
  installed: string | undefined,
): string | undefined {
  if (printed === '') return undefined
  const changed = printed.split('\n').flatMap((line) => {
    const [, changes, version] = CHANGE.exec(line) ?? []
    return changes === name && version !== undefined ? [version] : []
  })
  return changed.at(-1) ?? installed
}

/** In `  - Upgrading acme/hello (1.3.0 => 1.4.0)`, the name and the version after it. */
const CHANGE = /^ {2}- (?:Locking|Installing|Upgrading|Downgrading) (\S+) \((?:[^)]* => )?([^)]+)\)/

/**
 * The packages that keep this one, by a dry run of its removal and by what `composer global depends` prints: a line each, such as
 * `acme/user 1.0.0 requires acme/hello (^1)`, and one for the home itself.
 */
export function readDependents(planned: string, dependents: string, name: string): readonly string[] {
  if (planned.includes(`\n  - Removing ${name} (`)) return []
  const named = dependents.split('\n').map((line) => line.split(' ')[0] ?? '')
  return [...new Set(named)].filter((one) => one.includes('/'))
}

/** In `Composer version 2.5.5 2023-03-21 11:50:05`. */
export const readComposerVersion = (printed: string): string | undefined =>
  /^Composer (?:version )?(\d[\w.+-]{0,63})(?:\s|$)/m.exec(printed)?.[1]
