import { type Fields, optionalFields } from './fields.ts'
import { refuse } from './failure.ts'
import { MANIFEST, type Manifest } from './manifest.ts'
import type { JavaScriptManager, ManagerFile } from './source-files.ts'

/**
 * The package manager of a project: the declared one, else the only one that left a lock or a configuration, else pnpm
 * (DEX-021, DEP-016, DEP-017). Yarn is refused, and so are two declarations or signals that differ.
 */
export function managerOf(manifest: Manifest, found: readonly ManagerFile[]): JavaScriptManager {
  const declared = declaredManager(manifest.fields)
  if (declared !== undefined) return declared
  const [first, ...others] = found
  const other = others.find(({ family }) => family !== first?.family)
  if (other !== undefined)
    refuse({ ...MANIFEST, file: other.name }, 'managers_found', 'dependencies.ambiguous_manager')
  if (first?.family === 'yarn')
    refuse({ ...MANIFEST, file: first.name }, 'yarn', 'dependencies.unsupported_format')
  return first?.family ?? 'pnpm'
}

/** The manager that package.json names, if it names one. */
export function declaredManager(fields: Fields): JavaScriptManager | undefined {
  const named = [...fromPackageManager(fields['packageManager']), ...fromEngines(fields['devEngines'])]
  const [first] = named
  if (named.some((one) => one !== first))
    refuse(MANIFEST, 'managers_declared', 'dependencies.ambiguous_manager')
  return first === undefined ? undefined : supported(first)
}

/** `pnpm@9.1.0+sha512.…` */
function fromPackageManager(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (typeof value !== 'string' || value === '') refuse(MANIFEST, 'wrong_type')
  return [value.split('@')[0] ?? '']
}

/** One object with a name, or a list of them. */
function fromEngines(value: unknown): readonly string[] {
  const declared = optionalFields(value, MANIFEST)?.['packageManager']
  if (declared === undefined) return []
  return (Array.isArray(declared) ? declared : [declared]).map((one: unknown) => {
    const name = optionalFields(one, MANIFEST)?.['name']
    return typeof name === 'string' ? name : refuse(MANIFEST, 'wrong_type')
  })
}

function supported(name: string): JavaScriptManager {
  if (name === 'npm' || name === 'pnpm' || name === 'bun') return name
  refuse(MANIFEST, name === 'yarn' ? 'yarn' : 'unknown_manager', 'dependencies.unsupported_format')
}
