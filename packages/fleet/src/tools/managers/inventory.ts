import type { AdoptionBlock, InventoryPackage, ScannedManager } from '@fleet/contract'
import { MalformedOutput } from '@fleet/shell'
import { type CaskPlaces, caskBlock, readCasks } from '#/tools/managers/cask-policy.ts'
import { formulaBlock, isDependency, readFormulae } from '#/tools/managers/formula-output.ts'
import { semverOf } from '#/tools/managers/version.ts'
import { readGlobals } from '#/tools/managers/vp-output.ts'

/** An installed package before it is compared with the records. */
export type FoundPackage = Omit<InventoryPackage, 'registered' | 'tool_id' | 'adoption'>

/** Whether Fleet needs the package. */
export type IsNeeded = (manager: ScannedManager, name: string) => boolean

type Machine = CaskPlaces & { readonly tag: string | undefined }

interface Entry {
  readonly manager: ScannedManager
  readonly kind: InventoryPackage['package_kind']
  readonly name: string
  readonly version: string | undefined
  readonly isDependency?: boolean
  readonly block: AdoptionBlock | undefined
}

function entry(
  { manager, kind, name, version, isDependency: dependency = false, block }: Entry,
  isNeeded: IsNeeded,
): FoundPackage {
  const needed = isNeeded(manager, name)
  return {
    manager,
    package: name,
    package_kind: kind,
    installed_version: (version !== undefined && semverOf(manager, version)) || null,
    dependency,
    adoption_block: needed ? 'protected' : (block ?? null),
  }
}

/** Formulae by the two lists of Homebrew. Metadata of a name that is not installed means that one of them is cut off (TLX-039). */
export function formulaeIn(
  { names, printed }: { readonly names: string; readonly printed: string },
  { tag }: Pick<Machine, 'tag'>,
  isNeeded: IsNeeded,
): readonly FoundPackage[] {
  const known = new Map(readFormulae(printed).map((one) => [one.name, one]))
  const listed = distinct(names.split('\n').filter(Boolean))
  requireListed(known, listed)
  return listed.map((name) => {
    const found = known.get(name)
    return entry(
      {
        manager: 'brew',
        kind: 'formula',
        name,
        version: found && (found.linked_keg ?? found.installed.at(-1)?.version),
        isDependency: found !== undefined && isDependency(found),
        block: found ? formulaBlock(found, tag) : 'unsupported_source',
      },
      isNeeded,
    )
  })
}

/** Casks by `list --versions` and their metadata. */
export function casksIn(
  { versions, printed }: { readonly versions: string; readonly printed: string },
  { tag, ...places }: Machine,
  isNeeded: IsNeeded,
): readonly FoundPackage[] {
  const known = new Map(readCasks(printed, tag).map((one) => [one.token, one]))
  const listed = versions
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map((words) => ({ name: words[0] ?? '', version: words.at(-1) }))
  requireListed(known, distinct(listed.map(({ name }) => name)))
  return listed.map(({ name, version }) => {
    const found = known.get(name)
    const block = found ? caskBlock(found, places) : 'unsupported_source'
    return entry({ manager: 'brew-cask', kind: 'cask', name, version, block }, isNeeded)
  })
}

/** The root packages of Vite+. */
export const globalsIn = (printed: string, isNeeded: IsNeeded): readonly FoundPackage[] =>
  readGlobals(printed).map(({ name, version }) => {
    const block = semverOf('vp', version) === undefined ? 'version_unreadable' : undefined
    return entry({ manager: 'vp', kind: 'global', name, version, block }, isNeeded)
  })

function requireListed(known: ReadonlyMap<string, unknown>, listed: readonly string[]): void {
  if ([...known.keys()].some((name) => !listed.includes(name)))
    throw new MalformedOutput('metadata of a package that is not listed')
}

function distinct(names: readonly string[]): readonly string[] {
  if (new Set(names).size !== names.length) throw new MalformedOutput('a package twice')
  return names
}
