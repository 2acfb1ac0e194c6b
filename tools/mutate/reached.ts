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
export type Reached = (place: Place) => readonly string[]

/** Nothing is broken here, so whatever is slow may be. */
const LIMITS: Limits = { test: 180, silence: 210, leave: 10 }
const FILES_PER_PROCESS = 40

/**
 * Runs the tests once with every function of the files marked. Importing a file says nothing about a line of it: of 250 tests that
 * reach one by imports, ten run it. A place outside functions belongs to the tests that run any function of its file.
 */
export async function reachedBy(
  files: readonly SourceFile[],
  tests: readonly string[],
  options: RunOptions,
): Promise<Reached> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-reached-'))
  try {
    const log = join(folder, 'log')
    writeFileSync(log, '')
    const bodies = new Map(files.map((file) => [file.path, bodiesOf(file)]))
    const given = join(folder, 'marks.json')
    writeFileSync(given, JSON.stringify(marksOf(files, bodies, log, options.root)))
    const flags = [options.env['NODE_OPTIONS'], `--import=${HOOK}`].filter((flag) => flag !== undefined)
    const env = { NODE_OPTIONS: flags.join(' '), [MARKS]: given }
    for (const group of grouped(tests))
      await runChunk({ name: 'marked', files: group, env, limits: LIMITS }, options)
    return lookupIn(readFileSync(log, 'utf8'), bodies, options.root)
  } finally {
    rmSync(folder, { recursive: true })
  }
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
function lookupIn(log: string, bodies: Bodies, root: string): Reached {
  const found = log
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
  return (place) => {
    const known = bodies.get(place.path) ?? []
    const body = bodyAround(known, place)
    const at = body && String(known.indexOf(body))
    const hits = found.filter(([path, number]) => path === place.path && (at === undefined || at === number))
    return [...new Set(hits.flatMap(([, , test]) => (test ? [relative(root, test)] : [])))]
  }
}
