import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Test files that run in one process, in random order. */
export interface Chunk {
  readonly name: string
  readonly files: readonly string[]
  /** Added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Where its tests need more time than tests usually have. */
  readonly limits?: Limits
}

/** Times in seconds after which a test process is ended. */
export interface Limits {
  /** One test. */
  readonly test: number
  /** Nothing said; longer than one test, because then something hangs outside the tests. */
  readonly silence: number
  /** From the last test to the end of the process. Hooks of whole files run in it, for all files; then nothing should be open. */
  readonly leave: number
}

const UNIT = '{packages,apps,tools}/**/*.test.ts'
const WHOLE = 'tests/**/*.test.ts'
// Beside the code, but with real repositories, shells and processes: slower than a unit test may be.
const MACHINE = /\.machine\.test\.ts$/
// Real hosts need root and a machine of their own.
const LAB = /^tests\/lab\//
// Every request of the API leaves rows behind, so its whole suite runs on both dialects.
const BOTH_DIALECTS = /^tests\/api\//
/** Machine tests die at every moment of a list, beside everything else that runs. */
const MACHINE_LIMITS: Limits = { test: 480, silence: 510, leave: 60 }
/**
 * The catalogue follows a guide through the generator, all checks and a test run of its own; the embedded fleet is killed
 * at every stage of its work: each beside everything else that runs.
 */
const LIMITS_OF: Readonly<Record<string, Limits>> = {
  'tests/embedded': { test: 180, silence: 210, leave: 60 },
  'tests/work': { test: 180, silence: 210, leave: 60 },
  'tests/catalogue': { test: 900, silence: 930, leave: 60 },
}

export interface Chosen {
  readonly chunks: readonly Chunk[]
  readonly files: number
}

/** How far tests are split, the same on every machine: who shares a process, and in which order, must not depend on it. */
export const SPLIT = 2

/** Folders above this size are worth more than one process. */
const PART_BYTES = 16_000

/**
 * Unit tests first, split evenly, then what belongs to no single package, the longest and the largest folders first, then those that
 * drive the machine.
 * A filter is part of a path; any that matches lets a file in, if the change reaches it. Throws when nothing is left.
 */
export function choose(
  root: string,
  filters: readonly string[],
  workers: number,
  hasPostgres: boolean,
  isReached: (path: string) => boolean = () => true,
): Chosen {
  const wanted = (path: string): boolean =>
    isReached(path) && (filters.length === 0 || filters.some((filter) => path.includes(filter)))
  const [machine, unit] = byKind(find(root, UNIT).filter(wanted))
  const whole = find(root, WHOLE).filter((path) => wanted(path) && !LAB.test(path))
  const files = unit.length + machine.length + whole.length
  if (files === 0) throw new Error(`no test files match: ${filters.join(' ') || 'anything'}`)
  const chunks = [
    // More parts than workers: how long a part takes is not known before, and the last one is waited for.
    ...parts(root, 'unit', unit, 2 * workers),
    ...wholeChunks(root, whole, workers).flatMap((chunk) => onDialects(chunk, hasPostgres)),
    // They take most of a run: in twelve parts none of them ends long after everything else. Last, because a run whose time is over
    // leaves out what it has not begun.
    ...parts(root, 'machine', machine, 6 * workers),
  ]
  return { chunks, files }
}

const byKind = (paths: readonly string[]): readonly [readonly string[], readonly string[]] => [
  paths.filter((path) => MACHINE.test(path)),
  paths.filter((path) => !MACHINE.test(path)),
]

/** What needs more time than others begins before them, so that nothing runs alone at the end. */
const isLong = ({ name }: { readonly name: string }): number => Number(Object.hasOwn(LIMITS_OF, name))

const wholeChunks = (root: string, files: readonly string[], workers: number): readonly Chunk[] =>
  [...Map.groupBy(files, (path) => path.split('/').slice(0, 2).join('/'))]
    .map(([name, members]) => ({ name, members, bytes: bytesOf(root, members) }))
    .toSorted((a, b) => isLong(b) - isLong(a) || b.bytes - a.bytes)
    .flatMap(({ name, members, bytes }) =>
      parts(root, name, members, Math.min(workers, Math.ceil(bytes / PART_BYTES))),
    )

function parts(root: string, name: string, files: readonly string[], count: number): readonly Chunk[] {
  const shares = split(root, files, count)
  return shares.map((share, index) => ({
    name: shares.length === 1 ? name : `${name} ${index + 1}`,
    files: share,
    env: {},
    ...limitsOf(name, share),
  }))
}

function limitsOf(name: string, files: readonly string[]): Pick<Chunk, 'limits'> {
  const limits = LIMITS_OF[name] ?? (files.some((path) => MACHINE.test(path)) ? MACHINE_LIMITS : undefined)
  return limits === undefined ? {} : { limits }
}

const bytesOf = (root: string, files: readonly string[]): number =>
  files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0)

const find = (root: string, pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()

function onDialects(chunk: Chunk, hasPostgres: boolean): readonly Chunk[] {
  const files = chunk.files.filter((path) => BOTH_DIALECTS.test(path))
  if (!hasPostgres || files.length === 0) return [chunk]
  return [chunk, { name: `${chunk.name} on PostgreSQL`, files, env: { FLEET_TEST_DIALECT: 'postgres' } }]
}

/** Parts of about the same size in bytes: the largest file goes to the smallest part. */
function split(root: string, files: readonly string[], count: number): ReadonlyArray<readonly string[]> {
  const sized = files.map((path) => ({ path, bytes: bytesOf(root, [path]) }))
  const shares = Array.from({ length: count }, () => ({ bytes: 0, paths: [] as string[] })) // An empty literal has no element type.
  for (const { path, bytes } of sized.toSorted((a, b) => b.bytes - a.bytes)) {
    const smallest = shares.reduce((least, share) => (share.bytes < least.bytes ? share : least))
    smallest.bytes += bytes
    smallest.paths.push(path)
  }
  return shares.map(({ paths }) => paths).filter((paths) => paths.length > 0)
}
