import { readBun } from './bun.ts'
import { readComposer } from './composer.ts'
import { type Check, Failure, type FailureCode, type Origin, refuse } from './failure.ts'
import { listOf, optionalFields } from './fields.ts'
import type { Graph } from './graph.ts'
import type { JsSource, Read } from './js-source.ts'
import { declaredManager, managerOf } from './manager.ts'
import { MANIFEST, parseManifest } from './manifest.ts'
import { readNpm } from './npm.ts'
import { readPnpm } from './pnpm.ts'
import { checkTotal, makeSource, type Source, type SourceFiles } from './source.ts'
import { type JavaScriptManager, MANAGER_FILES, type ManagerFile } from './source-files.ts'
import { parseYaml } from './yaml.ts'

/** What the files of one ecosystem say. */
export type Reading =
  | {
      readonly status: 'read'
      /** Manager and version of its lock format, such as `pnpm-9.0`. */
      readonly format: string
      /** Names of the files that the graph was read from. */
      readonly files: readonly string[]
      readonly graph: Graph
    }
  /** The project has neither manifest nor lock (DEP-029). */
  | { readonly status: 'absent' }
  | {
      readonly status: 'failed'
      readonly code: FailureCode
      /** Names a file and the check that it failed, and nothing of what is in it (DEP-022). */
      readonly detail: string
      readonly file: string
      readonly check: Check
    }

export interface Dependencies {
  readonly composer: Reading
  readonly javascript: Reading
}

/**
 * Reads the resolved dependencies of a project from its manifests and locks. One ecosystem may fail while the other
 * succeeds (DEP-031). Never throws; time and memory are bounded by the sizes of the files.
 */
export function readDependencies(files: SourceFiles): Dependencies {
  const source = makeSource(files)
  return {
    composer: attempt(files, () => composer(source), {
      file: 'composer.lock',
      invalid: 'dependencies.invalid_composer_input',
    }),
    javascript: attempt(files, () => javascript(source), MANIFEST),
  }
}

/** Whatever a reader did not foresee is a failure of its ecosystem and not of the process. */
function attempt(files: SourceFiles, read: () => Reading, origin: Origin): Reading {
  try {
    checkTotal(files)
    return read()
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure(origin.invalid, origin.file, 'reader')
    const { code, file, check, message } = failure
    return { status: 'failed', code, detail: message, file, check }
  }
}

function composer(source: Source): Reading {
  const files = ['composer.json', 'composer.lock']
  if (!files.some(source.has)) return { status: 'absent' }
  const manifest = source.text('composer.json', 'dependencies.invalid_manifest')
  const lock = source.text('composer.lock', 'dependencies.invalid_composer_input')
  return { status: 'read', ...readComposer(manifest, lock), files }
}

const READERS: Readonly<Record<JavaScriptManager, (source: JsSource) => Read>> = {
  npm: readNpm,
  pnpm: readPnpm,
  bun: readBun,
}

function javascript(source: Source): Reading {
  const found = MANAGER_FILES.filter(({ name }) => source.has(name))
  if (!source.has('package.json') && !found.some(({ isLock }) => isLock)) return { status: 'absent' }
  const manifest = parseManifest(source.text('package.json', 'dependencies.invalid_manifest'))
  const manager = managerOf(manifest, found)
  // Whoever uses npm should not be sent to look for the lock of pnpm alone.
  if (found.length === 0 && declaredManager(manifest.fields) === undefined)
    refuse({ ...MANIFEST, file: OWN_LOCK[manager] }, 'every_lock_missing', 'dependencies.incomplete_source')
  const lockFile = lockOf(manager, found)
  if (manager === 'pnpm') checkWorkspace(source)
  const lockText = source.text(lockFile, `dependencies.invalid_${manager}_input`)
  return {
    status: 'read',
    ...READERS[manager]({ manifest, lockFile, lockText }),
    files: ['package.json', lockFile],
  }
}

/** What a manager writes when it has no lock yet. */
const OWN_LOCK: Readonly<Record<JavaScriptManager, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  bun: 'bun.lock',
}

function lockOf(manager: JavaScriptManager, found: readonly ManagerFile[]): string {
  const name = found.find(({ family, isLock }) => isLock && family === manager)?.name
  if (name === 'bun.lockb') refuse({ ...MANIFEST, file: name }, 'binary', 'dependencies.unsupported_format')
  return name ?? OWN_LOCK[manager]
}

/** More than people write, and too few to make anything large. */
const ALIASES = 1000

/** Without packages of its own the file only holds settings. */
function checkWorkspace(source: Source): void {
  const file = 'pnpm-workspace.yaml'
  if (!source.has(file)) return
  const origin = { file, invalid: 'dependencies.invalid_manifest' } as const
  const [first, ...others] = parseYaml(source.text(file, origin.invalid), origin, ALIASES)
  if (others.length > 0) refuse(origin, 'documents')
  const packages = listOf(optionalFields(first ?? undefined, origin)?.['packages'] ?? undefined, origin)
  if (!packages.every(isRootAlone)) refuse(origin, 'workspaces', 'dependencies.unsupported_layout')
}

/** A pattern that adds no package to the root: one that excludes some, or that of the root itself. */
const isRootAlone = (pattern: unknown): boolean =>
  typeof pattern === 'string' && (pattern.startsWith('!') || /^\.(?:\/\.?)?$/.test(pattern))
