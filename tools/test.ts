// `npm test`: the static checks, then every test. `npm test -- packages/ssh` runs the tests whose path holds a text,
// `npm test -- --changed` those that the change can reach, `npm test -- --part 'unit 1'` one part; all without the checks.
// With `--minutes N` no part begins later.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { testSeed } from '@fleet/testing/sample'
import { runChecks } from './check.ts'
import { type SuiteArguments, parseArguments } from './suite/arguments.ts'
import { readBudgets } from './suite/budgets.ts'
import { changedFiles, reachOf } from './suite/changed.ts'
import { tryFailedAgain } from './suite/again.ts'
import { type Chosen, choose, type Chunk, SPLIT } from './suite/chunks.ts'
import type { Outcome } from './suite/outcome.ts'
import { inPool } from './suite/pool.ts'
import { openPostgres } from './suite/postgres.ts'
import { runChunk, type RunOptions } from './suite/process.ts'
import { openScratch } from './suite/scratch.ts'
import { countsOf, lastLine, report } from './suite/tell.ts'
import { untilOver } from './suite/until-over.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Machine tests wait for processes and sockets a third of their time, so there is one more than cores. */
const WORKERS = Math.min(4, availableParallelism() + 1)

/** The begin of the process: the checks take of the time too. */
const STARTED = 0

const print = (line: string): void => console.log(line)

async function main(asked: SuiteArguments): Promise<boolean> {
  const isAll = isWholeRun(asked)
  const checks = isAll ? await checksAsOutcome() : []
  const outcomes = [...checks, ...(await runTests(asked))]
  const counts = countsOf(outcomes)
  for (const line of report(outcomes, isAll ? readBudgets(ROOT, 'tests') : undefined)) print(line)
  print(lastLine(counts))
  return counts.failed === 0
}

const isWholeRun = ({ filters, part, isChanged }: SuiteArguments): boolean =>
  filters.length === 0 && part === undefined && !isChanged

/** Each check counts as one test; what it found has been printed by then. */
async function checksAsOutcome(): Promise<readonly Outcome[]> {
  const reported = await runChecks(ROOT, print)
  const failures = reported.filter(({ ok }) => !ok).map(({ name }) => ({ name, place: '', error: undefined }))
  return [{ passed: reported.length - failures.length, failures, skipped: new Map(), slow: [] }]
}

async function runTests(asked: SuiteArguments): Promise<readonly Outcome[]> {
  const isReached = reached(asked)
  if (isReached === undefined) return []
  const seed = testSeed()
  using scratch = openScratch(process.env)
  await using postgres = await openPostgres(process.env, scratch.folder)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const env = {
    ...process.env,
    TMPDIR: scratch.folder,
    ...(postgres.url === undefined ? {} : { FLEET_TEST_DATABASE_URL: postgres.url }),
    ...(asked.isWhole ? { FLEET_TEST_WHOLE: '1' } : {}),
  }
  const options: RunOptions = { root: ROOT, seed, env, signal: stop.signal }
  const { chunks, files } = partOf(
    choose(ROOT, asked.filters, SPLIT, postgres.url !== undefined, isReached),
    asked.part,
  )
  print(`\n${files} test files, in the order and with the chances of FLEET_TEST_SEED=${seed}`)
  if (postgres.missing !== undefined)
    print(`PostgreSQL did not start, so its tests are skipped: ${postgres.missing}`)
  const run = async (chunk: Chunk): Promise<Outcome> => {
    const start = performance.now()
    const outcome = await runChunk(chunk, options)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const cpu = (outcome.cpuSeconds ?? 0).toFixed(1)
    print(
      `${chunk.name.padEnd(28)} ${seconds.padStart(6)} s  ${cpu.padStart(5)} s of a core  ${lastLine(countsOf([outcome]))}`,
    )
    // Details are printed at the end; its name is worth knowing at once.
    for (const { name, place } of outcome.failures) print(`  FAIL ${name}\n       ${place}`)
    return outcome
  }
  const { queue, outcomes: skipped } = untilOver(chunks, asked.minutes, { what: 'parts', start: STARTED })
  const ran = await inPool(queue, WORKERS, async (chunk) => ({ chunk, outcome: await run(chunk) }))
  const outcomes = isWholeRun(asked) ? await tryFailedAgain(ran, run) : ran.map(({ outcome }) => outcome)
  return [...outcomes, ...skipped()]
}

/** Which files the change reaches; undefined when it reaches none. */
function reached({ isChanged }: SuiteArguments): ((path: string) => boolean) | undefined {
  if (!isChanged) return () => true
  const changed = changedFiles(ROOT)
  const { tests, unread } = reachOf(ROOT, changed)
  const onHosts = [...tests].filter((path) => path.startsWith('tests/lab/')).length
  print(
    `${changed.length} changed files reach ${tests.size} test files, ${onHosts} of them on hosts (npm run test:lab -- --changed)`,
  )
  for (const file of unread) print(`  no test reads ${file}`)
  return tests.size === onHosts ? undefined : (path) => tests.has(path)
}

function partOf(chosen: Chosen, part: string | undefined): Chosen {
  if (part === undefined) return chosen
  const chunks = chosen.chunks.filter(({ name }) => name === part)
  const names = chosen.chunks.map(({ name }) => name).join(', ')
  if (chunks.length === 0) throw new Error(`there is no part ${part}; the parts are ${names}`)
  return { chunks, files: chunks.flatMap(({ files }) => files).length }
}

process.exitCode = (await main(parseArguments(process.argv.slice(2)))) ? 0 : 1
