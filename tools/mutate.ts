// `npm run mutate`: breaks one place of the source at a time, runs the tests that reach it, and lists what no test notices.
import { resolve } from 'node:path'
import { importGraph, readEntries } from './import-graph.ts'
import { choosePlaces } from './mutate/choose.ts'
import { readOptions } from './mutate/options.ts'
import { type Place, placesOf } from './mutate/places.ts'
import { wavesOf } from './mutate/reach.ts'
import { Trial, type Verdict } from './mutate/try-place.ts'
import { changedFiles } from './suite/changed.ts'
import { openPostgres } from './suite/postgres.ts'
import { isTest, readTree, type SourceFile } from './tree.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Programs that only measure, test or describe are not the product. */
const PRODUCT = /^(packages|apps)\/(?!testing\/)(?!.*\/testing\.ts$)/

const print = (line: string): void => console.log(line)

async function main(args: readonly string[]): Promise<boolean> {
  const { paths, count, seed, since, minutes, isNear, isReport } = readOptions(args)
  const tree = readTree(ROOT)
  const files = filesToBreak(tree, paths, since)
  const places = choosePlaces(files.flatMap(placesOf), count, seed)
  print(`${places.length} places in ${files.length} files, repeated by --seed ${seed} --count ${count}`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const graph = importGraph(tree, readEntries(ROOT), 'running')
  const late = minutes === Infinity ? [] : [AbortSignal.timeout(minutes * 60_000)]
  const signal = AbortSignal.any([stop.signal, ...late])
  const { env } = process
  // Elsewhere SQLite alone shows what breaks, in half the time.
  await using postgres = places.some(isStore) ? await openPostgres(env) : undefined
  const trial = new Trial({ root: ROOT, seed, env, signal })
  const url = postgres?.url
  const onBoth =
    url === undefined
      ? trial
      : new Trial({ root: ROOT, seed, env: { ...env, FLEET_TEST_DATABASE_URL: url }, signal })
  const counts = { noticed: 0, survived: 0, unclear: 0 }
  for (const place of places) {
    const waves = wavesOf(graph, place.path)
    const verdict = await (isStore(place) ? onBoth : trial).place(place, isNear ? waves.slice(0, 1) : waves)
    // What was stopped in the middle proves nothing.
    if (signal.aborted) break
    counts[verdict.state] += 1
    print(lineOf(place, verdict, tree))
  }
  print(`${counts.noticed} noticed, ${counts.survived} survived, ${counts.unclear} unclear`)
  return isReport || (counts.survived === 0 && counts.unclear === 0)
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
