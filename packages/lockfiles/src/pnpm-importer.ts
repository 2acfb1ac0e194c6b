import { type Fields, fieldsOf, optionalFields, textOf } from './fields.ts'
import { type Origin, refuse } from './failure.ts'
import { type Declared, declaredBy, type Manifest, REGULAR_DECIDES } from './manifest.ts'
import { packageName } from './package-name.ts'
import { changesOf } from './pnpm-changes.ts'
import { runtimesOf } from './pnpm-runtimes.ts'
import { sameSpecifier } from './specifier.ts'

type Section = 'dependencies' | 'devDependencies' | 'optionalDependencies'

/** A dependency of the root, as the lock has it. */
interface Imported {
  readonly section: Section
  readonly specifier: string
  readonly version: string
}

/** A requirement of the root with the reference to its snapshot, if it has one. */
export interface RootRequirement extends Declared {
  readonly reference: string | undefined
}

/** The requirements of package.json with what the importer `.` chose for them; it must have all of them and no other. */
export function rootRequirements(
  manifest: Manifest,
  lock: Fields,
  origin: Origin,
): readonly RootRequirement[] {
  const importer = importerOf(lock, origin)
  const changes = changesOf(lock, origin)
  const declared = [...declaredBy(manifest.sections, REGULAR_DECIDES), ...runtimesOf(manifest)]
  const stale = (): never => refuse(origin, 'stale', 'dependencies.stale_pnpm_lockfile')
  const requirements = declared.map((one) => {
    const found = importer.get(one.name)
    if (found === undefined) return changes.mayLack(one) ? { ...one, reference: undefined } : stale()
    const isSame =
      sameSpecifier(found.specifier, one.constraint) || changes.overrides(one.name, found.specifier)
    return isSame && found.section === sectionOf(one) ? { ...one, reference: found.version } : stale()
  })
  const names = new Set(declared.map(({ name }) => name))
  return [...importer.keys()].every((name) => names.has(name)) ? requirements : stale()
}

/** pnpm installs peers of the root as dependencies. */
function sectionOf({ scope, kind, optional }: Declared): Section {
  if (scope === 'development') return 'devDependencies'
  return optional && kind === 'dependency' ? 'optionalDependencies' : 'dependencies'
}

const SECTIONS: readonly Section[] = ['dependencies', 'devDependencies', 'optionalDependencies']

function importerOf(lock: Fields, origin: Origin): ReadonlyMap<string, Imported> {
  const importers = Object.entries(optionalFields(lock['importers'], origin) ?? {})
  if (importers.some(([path]) => path !== '.'))
    refuse(origin, 'workspaces', 'dependencies.unsupported_layout')
  const root = fieldsOf(importers[0]?.[1] ?? refuse(origin, 'root'), origin)
  const imported = new Map<string, Imported>()
  for (const section of SECTIONS)
    for (const [name, value] of Object.entries(optionalFields(root[section], origin) ?? {})) {
      if (imported.has(packageName(name, origin))) refuse(origin, 'duplicate_package')
      const { specifier, version } = fieldsOf(value, origin)
      imported.set(name, { section, specifier: textOf(specifier, origin), version: textOf(version, origin) })
    }
  return imported
}
