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
const available = z.object({ versions: z.array(plainText) })

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

/** The newest stable version that `composer global show --available` lists, which are newest first. */
export const readAvailable = (printed: string): string | undefined =>
  printed === ''
    ? undefined
    : readJson(printed, available).versions.find((version) => /^v?\d+(?:\.\d+)*(?:-p\d+)?$/.test(version))

/** In `Composer version 2.5.5 2023-03-21 11:50:05`. */
export const readComposerVersion = (printed: string): string | undefined =>
  /^Composer (?:version )?(\d[\w.+-]{0,63})(?:\s|$)/m.exec(printed)?.[1]
