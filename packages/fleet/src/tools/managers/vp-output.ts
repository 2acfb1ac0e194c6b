import { MalformedOutput } from '@fleet/shell'
import * as z from 'zod'
import { plainText, readJson } from '#/tools/managers/json.ts'
import type { PackageState } from '#/tools/managers/manager.ts'

const globals = z.array(z.object({ name: plainText, version: plainText }))
export type GlobalPackage = z.output<typeof globals>[number]

/** The root packages that `vp list -g --json` prints. A name that is empty, too long or there twice makes it unreadable (TLX-039). */
export function readGlobals(printed: string): readonly GlobalPackage[] {
  const packages = readJson(printed, globals)
  if (new Set(packages.map(({ name }) => name)).size !== packages.length)
    throw new MalformedOutput('a package twice')
  return packages
}

export function readGlobal(
  printed: string,
  name: string,
  isBelow: boolean,
): Pick<PackageState, 'installed' | 'isPresent' | 'block'> {
  const found = readGlobals(printed).find((one) => one.name === name)
  if (found) return { installed: found.version, isPresent: true }
  return { installed: undefined, isPresent: false, block: isBelow ? 'dependency' : undefined }
}

/** What `vp info NAME version --json` prints: the newest version; nothing for a name that the registry does not know. */
export const readLatest = (printed: string): string | undefined =>
  printed === '' ? undefined : readJson(printed, plainText)

/** In `vp v0.3.0`, which stands before a list of other tools. */
export const readVpVersion = (printed: string): string | undefined =>
  /^vp v?(\d+\.\d+\.\d+[\w.+-]{0,63})\s*$/m.exec(printed)?.[1]
