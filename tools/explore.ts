// `npm run explore [-- MINUTES]`: other orders of tests, other values of properties, broken places of the source and, where
// there can be hosts, other faults, each with a seed of its own, for as many minutes (10). Exit status 1 when something was found.
import { randomInt } from 'node:crypto'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { labMissing } from '../lab/index.ts'
import { explore, type Probe } from './explore/explore.ts'
import { labProbes, mutationProbe, suiteProbes } from './explore/probes.ts'
import { openPostgres } from './suite/postgres.ts'
import { openScratch } from './suite/scratch.ts'
import { SPLIT } from './suite/chunks.ts'

const ROOT = resolve(import.meta.dirname, '..')
const MINUTES = 10
const MOST_SEED = 2 ** 31

async function main(minutes: number): Promise<boolean> {
  if (!(minutes > 0)) throw new Error('npm run explore -- MINUTES: a number above 0')
  using scratch = openScratch(process.env)
  await using postgres = await openPostgres(process.env, scratch.folder)
  const env = {
    ...process.env,
    TMPDIR: scratch.folder,
    ...(postgres.url === undefined ? {} : { FLEET_TEST_DATABASE_URL: postgres.url }),
  }
  const probes = await allProbes(env, postgres.url !== undefined)
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  const end = AbortSignal.any([stop.signal, AbortSignal.timeout(minutes * 60_000)])
  console.log(`exploring for ${minutes} minutes: ${probes.length} probes in turn`)
  const { tried, failed } = await explore({
    probes,
    end,
    nextSeed: () => randomInt(MOST_SEED),
    print: (line) => console.log(line),
  })
  console.log(`${tried} tried, ${failed} failed`)
  return failed === 0
}

/** A kind of its own is a line here. One sweep on hosts follows each turn of the suite: it takes minutes. */
async function allProbes(env: NodeJS.ProcessEnv, hasPostgres: boolean): Promise<readonly Probe[]> {
  const suite = [...suiteProbes({ root: ROOT, env }, SPLIT, hasPostgres), mutationProbe(ROOT)]
  if (labMissing() !== undefined) return suite
  const sweeps = labProbes(ROOT, globSync('tests/lab/*.test.ts', { cwd: ROOT }).toSorted())
  return sweeps.length === 0 ? suite : sweeps.flatMap((sweep) => [...suite, sweep])
}

process.exitCode = (await main(Number(process.argv[2] ?? MINUTES))) ? 0 : 1
