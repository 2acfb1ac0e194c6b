// `npm test`: the static checks, then every test. `npm test -- packages/ssh` runs the tests whose path holds a text, without the checks.
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { runChecks } from './check.ts'
import { choose } from './suite/chunks.ts'
import type { Outcome } from './suite/outcome.ts'
import { inPool } from './suite/pool.ts'
import { openPostgres } from './suite/postgres.ts'
import { runChunk, type RunOptions } from './suite/process.ts'
import { countsOf, lastLine, report } from './suite/tell.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** A test may wait for a process or a socket, so a single core still runs two. */
const WORKERS = Math.min(4, Math.max(2, availableParallelism()))
const MOST_SEED = 2 ** 32

const print = (line: string): void => console.log(line)

async function main(filters: readonly string[]): Promise<boolean> {
  const checks = filters.length === 0 ? await checksAsOutcome() : []
  const outcomes = [...checks, ...(await runTests(filters))]
  const counts = countsOf(outcomes)
  for (const line of report(outcomes)) print(line)
  print(lastLine(counts))
  return counts.failed === 0
}

/** Each check counts as one test; what it found has been printed by then. */
async function checksAsOutcome(): Promise<readonly Outcome[]> {
  const told = await runChecks(ROOT, print)
  const failures = told.filter(({ ok }) => !ok).map(({ name }) => ({ name, place: '', error: undefined }))
  return [{ passed: told.length - failures.length, failures, skipped: new Map(), slow: [] }]
}

async function runTests(filters: readonly string[]): Promise<readonly Outcome[]> {
  const seed = Number(process.env['FLEET_TEST_SEED'] ?? randomInt(MOST_SEED))
  await using postgres = await openPostgres(process.env)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const env = {
    ...process.env,
    ...(postgres.url === undefined ? {} : { FLEET_TEST_DATABASE_URL: postgres.url }),
  }
  const options: RunOptions = { root: ROOT, seed, env, signal: stop.signal }
  const { chunks, files } = choose(ROOT, filters, WORKERS, postgres.url !== undefined)
  print(`\n${files} test files in random order, repeated by FLEET_TEST_SEED=${seed}`)
  if (postgres.missing !== undefined)
    print(`PostgreSQL did not start, so its tests are skipped: ${postgres.missing}`)
  return await inPool(chunks, WORKERS, async (chunk) => {
    const start = performance.now()
    const outcome = await runChunk(chunk, options)
    print(
      `${chunk.name.padEnd(28)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${lastLine(countsOf([outcome]))}`,
    )
    // What each was is told at the end; its name is worth knowing at once.
    for (const { name, place } of outcome.failures) print(`  FAIL ${name}\n       ${place}`)
    return outcome
  })
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1
