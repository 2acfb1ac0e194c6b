// `npm run mutate`: breaks one place of the source at a time, runs the tests that reach it, and lists what no test notices.
import { resolve } from 'node:path'
import { importGraph, type ImportGraph, readEntries } from './import-graph.ts'
import { choosePlaces } from './mutate/choose.ts'
import { readOptions } from './mutate/options.ts'
import { type Place, placesOf } from './mutate/places.ts'
import { reachOf } from './mutate/reach.ts'
import { reachedBy } from './mutate/reached.ts'
import { Trial, type Verdict } from './mutate/try-place.ts'
import { changedFiles } from './suite/changed.ts'
import { openPostgres } from './suite/postgres.ts'
import { openScratch } from './suite/scratch.ts'
import { isTest, readTree, type SourceFile } from './tree.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Programs that only measure, test or describe are not the product. */
const PRODUCT = /^(packages|apps)\/(?!testing\/)(?!.*\/testing\.ts$)/

const print = (line: string): void => console.log(line)

async function main(args: readonly string[]): Promise<boolean> {
  const { paths, count, seed, since, minutes, isNear, isEach, isReport } = readOptions(args)
  const tree = readTree(ROOT)
  const groups = (isEach ? paths : [undefined]).map((path) => {
    const files = filesToBreak(tree, path === undefined ? paths : [path], since)
    return { path, files, places: choosePlaces(files.flatMap(placesOf), count, seed) }
  })
  for (const { path, files, places } of groups)
    print(
      `${places.length} places in ${files.length} files${path === undefined ? '' : ` of ${path}`}, repeated by --seed ${seed} --count ${count}`,
    )
  const places = groups.flatMap((group) => group.places)
  const graph = importGraph(tree, readEntries(ROOT), 'running')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const late = minutes === Infinity ? [] : [AbortSignal.timeout(minutes * 60_000)]
  const signal = AbortSignal.any([stop.signal, ...late])
  using scratch = openScratch(process.env)
  const env = { ...process.env, TMPDIR: scratch.folder }
  // Elsewhere SQLite alone shows what breaks, in half the time.
  await using postgres = places.some(isStore) ? await openPostgres(env, scratch.folder) : undefined
  const options = { root: ROOT, seed, env, signal }
  const onBoth = { ...options, env: { ...env, FLEET_TEST_DATABASE_URL: postgres?.url } }
  const trial = { one: new Trial(options), both: new Trial(postgres ? onBoth : options) }
  const verdicts = await verdictsOf(places, { tree, graph, trial, isNear, signal })
  for (const { path, places: chosen } of groups) print(summaryOf(path, chosen, verdicts))
  return isReport || [...verdicts.values()].every(({ state }) => state === 'noticed')
}

interface Work {
  readonly tree: readonly SourceFile[]
  readonly graph: ImportGraph
  readonly trial: { readonly one: Trial; readonly both: Trial }
  readonly isNear: boolean
  readonly signal: AbortSignal
}
type Verdicts = ReadonlyMap<Place, Verdict>

/** The nearest tests unasked, then near ones, then the others; of both, those that run the function around a place. */
async function verdictsOf(places: readonly Place[], work: Work): Promise<Verdicts> {
  const { tree, graph, trial, isNear, signal } = work
  const verdicts = new Map<Place, Verdict>()
  const tried = new Map<Place, readonly string[]>()
  const attempt = async (place: Place, files: readonly string[], isLast: boolean): Promise<void> => {
    const before = tried.get(place) ?? []
    const untried = files.filter((file) => !before.includes(file))
    const all = [...before, ...untried]
    tried.set(place, all)
    const broken = await trial[isStore(place) ? 'both' : 'one'].place(place, untried)
    const verdict = broken ?? (isLast ? ({ state: 'survived', files: all.length } as const) : undefined)
    // What was stopped in the middle proves nothing.
    if (!verdict || signal.aborted) return
    verdicts.set(place, verdict)
    print(lineOf(place, verdict, tree))
  }
  for (const distance of ['nearest', 'near', 'far'] as const) {
    const left = places.filter((place) => !verdicts.has(place))
    if (left.length === 0 || signal.aborted) break
    const isLast = distance === (isNear ? 'near' : 'far')
    const reached =
      distance === 'nearest'
        ? ({ path }: Place) => reachOf(graph, path).nearest
        : await askedOf(left, distance, work)
    for (const place of left) await attempt(place, reached(place), isLast)
    if (isLast) break
  }
  return verdicts
}

/** Asks the tests of all places which of them they run. What stands outside functions is read by whoever imports its file. */
async function askedOf(
  places: readonly Place[],
  distance: 'near' | 'far',
  { tree, trial, graph }: Work,
): Promise<(place: Place) => readonly string[]> {
  const testsOf = ({ path }: Place): readonly string[] => reachOf(graph, path)[distance]
  const tests = [...new Set(places.flatMap(testsOf))].toSorted()
  print(`${tests.length} test files are asked which of ${places.length} places they run`)
  const usersOf = ({ path }: Place): readonly string[] =>
    [...graph].flatMap(([user, imported]) => (imported.has(path) && !isTest(user) ? [user] : []))
  const marked = new Set(places.flatMap((place) => [place.path, ...usersOf(place)]))
  const { options } = trial[places.some(isStore) ? 'both' : 'one']
  const files = tree.filter(({ path }) => marked.has(path))
  const reached = await reachedBy(files, tests, options)
  return (place) => {
    const running = new Set(reached(place, distance === 'near' ? undefined : usersOf(place)))
    return testsOf(place).filter((path) => running.has(path))
  }
}

function summaryOf(path: string | undefined, places: readonly Place[], verdicts: Verdicts): string {
  const count = (state: Verdict['state']): number =>
    places.filter((place) => verdicts.get(place)?.state === state).length
  const counts = `${count('noticed')} noticed, ${count('survived')} survived, ${count('unclear')} unclear`
  return path === undefined ? counts : `${path}: ${counts}`
}

/** What is written for one database is broken with both. */
const isStore = ({ path }: Place): boolean => path.startsWith('packages/store/')

/** Throws where nothing is left to break. */
function filesToBreak(
  tree: readonly SourceFile[],
  paths: readonly string[],
  since: string | undefined,
): readonly SourceFile[] {
  const product = tree.filter(({ path }) => PRODUCT.test(path) && !isTest(path))
  const changed = new Set(paths.length === 0 ? changedFiles(ROOT, since) : [])
  const files = product.filter(({ path }) => changed.has(path) || paths.some((part) => path.includes(part)))
  if (files.length === 0)
    throw new Error(
      paths.length === 0
        ? 'The change touches no source file. Name a path: npm run mutate -- packages/fleet/src/dns'
        : `No source file has ${paths.join(' or ')} in its path.`,
    )
  return files
}

function lineOf(
  { path, line, start, end, replacement, kind }: Place,
  verdict: Verdict,
  tree: readonly SourceFile[],
): string {
  const text = tree.find((file) => file.path === path)?.text.slice(start, end) ?? ''
  const change = `${short(text)} → ${short(replacement)}`
  const place = `${path}:${line}  ${kind}  ${change}`
  if (verdict.state === 'survived') return `SURVIVED  ${place}  (${verdict.files} test files passed)`
  return verdict.state === 'noticed'
    ? `noticed   ${place}`
    : `UNCLEAR   ${place}  fails unbroken too: ${verdict.by}`
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1
