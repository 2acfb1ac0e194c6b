import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { Limits } from '../suite/chunks.ts'
import { runChunk, type RunOptions } from '../suite/process.ts'
import type { SourceFile } from '../tree.ts'
import { type Body, bodiesOf, bodyAround, marked } from './bodies.ts'
import { HOOK, MARKS, type Marks } from './mutant.ts'
import type { Place } from './places.ts'

/** Test files that run the function around a place, of those that were asked. */
export type Reached = (place: Place, users?: readonly string[]) => readonly string[]

/** Nothing is broken here, so whatever is slow may be. */
const LIMITS: Limits = { test: 180, silence: 210, leave: 10 }
const FILES_PER_PROCESS = 40

/**
 * Runs the tests once with every function of the files marked. Importing a file says nothing about a line of it: of 250 tests that
 * reach one by imports, ten run it. A place outside functions belongs to the tests that run any function of its file or of
 * `users`, the files that import it; to all of them without `users`. What a process runs while no test of it does, as it imports or before its first test, belongs to all its test files, and so does
 * everything when the process did not come to its end.
 */
export async function reachedBy(
  files: readonly SourceFile[],
  tests: readonly string[],
  options: RunOptions,
): Promise<Reached> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-reached-'))
  try {
    const bodies = new Map(files.map((file) => [file.path, bodiesOf(file)]))
    const flags = [options.env['NODE_OPTIONS'], `--import=${HOOK}`].filter((flag) => flag !== undefined)
    const runs: Run[] = []
    for (const [at, group] of grouped(tests).entries()) {
      const log = join(folder, `log-${at}`)
      writeFileSync(log, '')
      const given = join(folder, `marks-${at}.json`)
      writeFileSync(given, JSON.stringify(marksOf(files, bodies, log, options.root)))
      const env = { NODE_OPTIONS: flags.join(' '), [MARKS]: given }
      const { spent = {} } = await runChunk({ name: 'marked', files: group, env, limits: LIMITS }, options)
      // A process says last what its files spent; of one that was ended before, nobody knows what its tests run.
      const isWhole = Object.keys(spent).length > 0
      runs.push({ tests: group, isWhole, hits: hitsOf(readFileSync(log, 'utf8'), options.root) })
    }
    return lookupIn(runs, bodies)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** One process, with the functions that ran in it. */
interface Run {
  readonly tests: readonly string[]
  /** It came to its end. */
  readonly isWhole: boolean
  readonly hits: readonly Hit[]
}

interface Hit {
  readonly path: string
  readonly body: number
  /** Empty where no test was running. */
  readonly test: string
}

type Bodies = ReadonlyMap<string, readonly Body[]>

const marksOf = (files: readonly SourceFile[], bodies: Bodies, log: string, root: string): Marks => ({
  log,
  sources: Object.fromEntries(
    files.map(({ path, text }) => [
      join(root, path),
      marked(
        text,
        bodies.get(path) ?? [],
        (at) => `globalThis.fleetReached?.(${JSON.stringify(path)}, ${at})`,
      ),
    ]),
  ),
})

/** Tests of one folder share a process, as they do otherwise. */
const grouped = (tests: readonly string[]): readonly (readonly string[])[] =>
  [
    ...Map.groupBy(tests, (path) => (path.startsWith('tests/') ? path.split('/')[1] : 'packages')).values(),
  ].flatMap((paths) =>
    Array.from({ length: Math.ceil(paths.length / FILES_PER_PROCESS) }, (_, at) =>
      paths.slice(at * FILES_PER_PROCESS, (at + 1) * FILES_PER_PROCESS),
    ),
  )

/** Lines of `path`, number of the body and test file. */
const hitsOf = (log: string, root: string): readonly Hit[] =>
  log
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [path = '', body, test] = line.split('\t')
      return { path, body: Number(body), test: test ? relative(root, test) : '' }
    })

const lookupIn =
  (runs: readonly Run[], bodies: Bodies): Reached =>
  (place, users) => {
    const known = bodies.get(place.path) ?? []
    const around = bodyAround(known, place)
    const body = around && known.indexOf(around)
    if (body === undefined && !users) return runs.flatMap(({ tests }) => tests)
    const isHit = (hit: Hit): boolean =>
      body === undefined
        ? hit.path === place.path || users?.includes(hit.path) === true
        : hit.path === place.path && hit.body === body
    const found = runs.flatMap(({ tests, isWhole, hits }) =>
      isWhole ? hits.filter(isHit).flatMap(({ test }) => (test === '' ? tests : [test])) : tests,
    )
    return [...new Set(found)]
  }
