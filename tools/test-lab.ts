// `npm run test:lab`: the tests on real hosts, four files at a time. `npm run test:lab -- ssh` runs those whose path holds
// a text, `-- --changed` those that the change can reach; with `--whole`, sweeps of faults try every combination. What
// `tools/budgets.json` lists as on demand runs when it is named, and with `--whole`. With `--minutes N` no file begins later.
import { globSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { testSeed } from '@fleet/testing/sample'
import {
  ensureServerTree,
  labMissing,
  openLab,
  type Place,
  placeOf,
  type Purpose,
  remainsOf,
  removeLab,
  takeSpent,
  TEST_PURPOSES,
  treeServers,
} from '../lab/index.ts'
import { type SuiteArguments, parseArguments } from './suite/arguments.ts'
import { readBudgets } from './suite/budgets.ts'
import { changedFiles, reachOf } from './suite/changed.ts'
import type { Outcome } from './suite/outcome.ts'
import { type Ran, tryFailedAgain } from './suite/again.ts'
import type { Chunk, Limits } from './suite/chunks.ts'
import { runChunk, type RunOptions } from './suite/process.ts'
import { countsOf, lastLine, report } from './suite/tell.ts'
import { untilOver } from './suite/until-over.ts'

const ROOT = resolve(import.meta.dirname, '..')
/**
 * A host may have to boot, and a lost connection must be noticed, more than once in a test, and apt waits five minutes for its
 * lock, on machines of half the usual speed too; all hosts go after the last.
 */
const LIMITS: Limits = { test: 900, silence: 930, leave: 60 }
/** A test that is a sweep tries all that a sample leaves out. */
const WHOLE: Limits = { test: 3600, silence: 3630, leave: 60 }
/** They begin first, in this order, so that none of them runs alone at the end; the others follow by size. */
const LONGEST = [
  'package-lock',
  'role-faults',
  'enrolment-faults',
  'removal-faults',
  'gateway-killed',
  'role-deaths',
  'network',
  'firewall-deaths',
  'instances',
  'upgrade',
  'doctor',
  'roles',
  'websocket',
  'feed-faults',
  'dead-node',
]

const print = (line: string): void => console.log(line)

async function main(asked: SuiteArguments): Promise<boolean> {
  const missing = labMissing()
  const files = filesOf(asked)
  if (files.length === 0) print('the change reaches no test on hosts')
  const outcomes =
    files.length === 0
      ? []
      : missing === undefined
        ? await inLab(files, asked)
        : await runFiles(files, asked, ['test'])
  for (const line of report(outcomes, asked.isWhole ? undefined : readBudgets(ROOT, 'lab'))) print(line)
  const counts = countsOf(outcomes)
  print(lastLine(counts))
  return counts.failed === 0
}

/** A clean start, the trees, the tests, and the proof that nothing stays. */
async function inLab(files: readonly string[], asked: SuiteArguments): Promise<readonly Outcome[]> {
  const places = TEST_PURPOSES.map((purpose) => placeOf(ROOT, purpose))
  const onAll = async <T>(work: (place: Place) => Promise<readonly T[]>): Promise<readonly T[]> => {
    const results: T[] = []
    for (const place of places) results.push(...(await work(place)))
    return results
  }
  await stage('leftovers of an earlier run', async () => {
    for (const line of await onAll(removeLab)) print(`  removed ${line}`)
  })
  await stage('base trees', async () => {
    await openLab({ checkout: ROOT, purpose: 'test' })
    // Built here and not in the test, which would say nothing for minutes.
    if (files.some((file) => nameOf(file) === 'debian-13'))
      await openLab({ checkout: ROOT, purpose: 'test', suite: 'trixie' })
    // The test says what is missing.
    for (const server of treeServers)
      if (files.some((file) => nameOf(file).startsWith(server)))
        await ensureServerTree(server).catch(() => undefined)
  })
  const outcomes = await runFiles(files, asked, TEST_PURPOSES)
  await stage('removal', () => onAll(removeLab))
  return [...outcomes, emptiness(await onAll(remainsOf))]
}

/**
 * As many files at once as there are labs. Without a lab the tests themselves say so, each as skipped
 * with the reason.
 */
async function runFiles(
  files: readonly string[],
  asked: SuiteArguments,
  labs: readonly Purpose[],
): Promise<readonly Outcome[]> {
  const { isWhole } = asked
  const seed = testSeed()
  print(`${files.length} test files, in the order and with the faults of FLEET_TEST_SEED=${seed}`)
  const limits = isWhole ? WHOLE : LIMITS
  const options: RunOptions = { root: ROOT, seed, env: process.env, signal: stopSignal(), limits }
  const reported = (outcome: Outcome): string =>
    `${(outcome.cpuSeconds ?? 0).toFixed(1).padStart(5)} s of a core  ${lastLine(countsOf([outcome]))}`
  const sized = files.map((file) => ({ file, name: nameOf(file), bytes: statSync(resolve(ROOT, file)).size }))
  const rank = (name: string): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length)
  const { queue, outcomes: skipped } = untilOver(
    sized.toSorted((a, b) => rank(a.name) - rank(b.name) || b.bytes - a.bytes),
    asked.minutes,
  )
  const told = (chunk: Chunk, lab: Purpose): Promise<Outcome> => {
    const run = async (): Promise<Outcome> => {
      const outcome = await runChunk(chunk, options)
      return { ...outcome, cpuSeconds: (outcome.cpuSeconds ?? 0) + takeSpent(placeOf(ROOT, lab)) }
    }
    return stage(chunk.name, run, reported)
  }
  const worker = async (lab: Purpose): Promise<readonly Ran[]> => {
    const outcomes: Ran[] = []
    for (const { file, name } of queue) {
      const env = { FLEET_TEST_LAB: lab, ...(isWhole ? { FLEET_TEST_WHOLE: '1' } : {}) }
      const chunk: Chunk = { name, files: [file], env }
      outcomes.push({ chunk, outcome: { ...(await told(chunk, lab)), lab: name } })
    }
    return outcomes
  }
  const ran = (await Promise.all(labs.map(worker))).flat()
  const [alone] = labs
  const outcomes =
    asked.filters.length > 0 || alone === undefined
      ? ran.map(({ outcome }) => outcome)
      : await tryFailedAgain(ran, (chunk) =>
          told({ ...chunk, env: { ...chunk.env, FLEET_TEST_LAB: alone } }, alone),
        )
  return [...outcomes, ...skipped()]
}

/** Throws when no file matches; none may be left of those that a change reaches. */
function filesOf({ filters, isChanged, isWhole }: SuiteArguments): readonly string[] {
  const { onDemand = [] } = filters.length > 0 || isWhole ? {} : readBudgets(ROOT, 'lab')
  const files = globSync('tests/lab/*.test.ts', { cwd: ROOT }).filter(
    (path) => isWanted(path, filters) && !onDemand.includes(nameOf(path)),
  )
  if (onDemand.length > 0) print(`not run unless named, or with --whole: ${onDemand.join(', ')}`)
  if (files.length === 0) throw new Error(`no test files match: ${filters.join(' ') || 'anything'}`)
  if (!isChanged) return files
  const { tests } = reachOf(ROOT, changedFiles(ROOT))
  return files.filter((path) => tests.has(path))
}

const nameOf = (file: string): string => basename(file, '.test.ts')

const isWanted = (path: string, filters: readonly string[]): boolean =>
  filters.length === 0 || filters.some((filter) => path.includes(filter))

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

async function stage<T>(
  name: string,
  work: () => Promise<T>,
  reported: (result: T) => string = () => '',
): Promise<T> {
  const start = performance.now()
  const result = await work()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  print(`${name.padEnd(28)} ${seconds.padStart(6)} s  ${reported(result)}`.trimEnd())
  return result
}

const NAME = 'the lab leaves nothing on the machine but its cached trees'

/** One more test: it passes when nothing remains. */
const emptiness = (remains: readonly string[]): Outcome => ({
  passed: remains.length === 0 ? 1 : 0,
  failures: remains.length === 0 ? [] : [{ name: NAME, place: '', error: remains.join('\n') }],
  skipped: new Map(),
  slow: [],
})

process.exitCode = (await main(parseArguments(process.argv.slice(2)))) ? 0 : 1
