import type { AdoptionBlock } from '@fleet/contract'
import * as z from 'zod'
import { plainText, readJson } from '#/tools/managers/json.ts'
import type { PackageState } from '#/tools/managers/manager.ts'
import type { Refused } from '#/tools/managers/refused.ts'

const files = z.record(z.string(), z.object({ sha256: z.string() }))
const formula = z.object({
  name: z.string(),
  full_name: z.string(),
  tap: z.string().nullable(),
  versions: z.object({ stable: plainText.nullable() }),
  revision: z.int().min(0).default(0),
  disabled: z.boolean().default(false),
  bottle: z.object({ stable: z.object({ files }).optional() }),
  pinned: z.boolean().default(false),
  linked_keg: plainText.nullable().default(null),
  installed: z
    .array(
      z.object({
        version: plainText,
        installed_as_dependency: z.boolean().default(false),
        installed_on_request: z.boolean().default(false),
      }),
    )
    .default([]),
})
export type Formula = z.output<typeof formula>

const info = z.object({ formulae: z.array(formula) })

/** The formulae in what `brew info --json=v2 --formula` prints. Throws MalformedOutput. */
export const readFormulae = (printed: string): readonly Formula[] => readJson(printed, info).formulae

const DIGEST = /^[0-9a-f]{64}$/

/** The bottle of the machine, or one for all where there is none; undefined without a digest (TLX-028, TLX-029). */
export function hasBottle({ bottle }: Formula, tag: string | undefined): boolean {
  const found = bottle.stable?.files
  if (tag === undefined || found === undefined) return false
  const own = Object.hasOwn(found, tag) ? found[tag] : Object.hasOwn(found, 'all') ? found['all'] : undefined
  return own !== undefined && DIGEST.test(own.sha256)
}

const isCore = ({ tap, name, full_name }: Formula): boolean => tap === 'homebrew/core' && full_name === name

const installedVersion = ({ linked_keg, installed }: Formula): string | undefined =>
  linked_keg ?? installed.at(-1)?.version

export const isDependency = ({ installed }: Formula): boolean =>
  installed.length > 0 && installed.every((keg) => keg.installed_as_dependency && !keg.installed_on_request)

/** Why an installed formula cannot become a Tool. */
export function formulaBlock(found: Formula, tag: string | undefined): AdoptionBlock | undefined {
  if (!isCore(found)) return 'unsupported_source'
  if (isDependency(found)) return 'dependency'
  if (!hasBottle(found, tag)) return 'bottle_unavailable'
  if (installedVersion(found) === undefined || found.versions.stable === null) return 'version_unreadable'
  return undefined
}

/** The state of a formula by its metadata and the list of installed names. A name that no metadata knows is installed from elsewhere. */
export function formulaState(
  { names, printed }: { readonly names: string; readonly printed: string },
  name: string,
  tag: string | undefined,
): PackageState {
  const isListed = names.split('\n').includes(name)
  const found = printed === '' ? undefined : readFormulae(printed).find((one) => one.name === name)
  if (!found)
    return {
      installed: undefined,
      isPresent: isListed,
      candidate: undefined,
      block: isListed ? 'unsupported_source' : undefined,
    }
  const installed = isListed ? installedVersion(found) : undefined
  const refused = refusedFormula(found, tag)
  return {
    installed,
    isPresent: isListed,
    candidate: refused === undefined ? stableOf(found) : undefined,
    refused,
    block: isListed ? formulaBlock(found, tag) : undefined,
    isPinned: found.pinned,
  }
}

/** Why Fleet does not install a formula (TOOL-055). */
function refusedFormula(found: Formula, tag: string | undefined): Refused | undefined {
  if (!isCore(found)) return 'unsupported_source'
  if (found.disabled) return 'unsupported_artifact'
  if (!hasBottle(found, tag)) return 'bottle_unavailable'
  return found.versions.stable === null ? 'version_unreadable' : undefined
}

/** As Homebrew calls the keg: a later build of the same version has its number after it. */
const stableOf = ({ versions: { stable }, revision }: Formula): string | undefined =>
  stable === null ? undefined : revision > 0 ? `${stable}_${revision}` : stable
