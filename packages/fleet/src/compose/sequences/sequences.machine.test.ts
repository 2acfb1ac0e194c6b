import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Choice,
  type Harm,
  OPERATIONS,
  type OperationName,
  WEIGHTS,
} from '#/compose/sequences/operations.test.ts'
import { play } from '#/compose/sequences/play.test.ts'
import { openTown } from '#/compose/sequences/town.test.ts'

const STEPS = 30
const RUNS = 4

const names = Object.keys(OPERATIONS) as OperationName[] // Its keys are these.

const harm: fc.Arbitrary<Harm> = fc.record({
  kind: fc.constantFrom('before', 'after', 'beforeWrite', 'beforeCommand', 'afterCommand'),
  at: fc.integer({ min: 1, max: 24 }),
})

const choices = (harms: fc.Arbitrary<Harm | undefined>): fc.Arbitrary<readonly Choice[]> =>
  fc.array(
    fc.record({
      kind: fc.oneof(...names.map((name) => ({ weight: WEIGHTS[name] ?? 2, arbitrary: fc.constant(name) }))),
      picks: fc.array(fc.nat(59), { minLength: 8, maxLength: 8 }),
      harm: harms,
    }),
    { minLength: STEPS, maxLength: STEPS },
  )

/** Plays sequences, each from the beginning; how often each request ended how. */
async function playAll(harms: fc.Arbitrary<Harm | undefined>): Promise<ReadonlyMap<string, number>> {
  const endings = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(choices(harms), async (all) => {
      await using town = await openTown()
      const played: string[] = []
      for (const [at, choice] of all.entries())
        try {
          const ending = await play(town, choice)
          if (ending !== undefined) played.push(ending)
        } catch (error) {
          throw new Error(`${played.join('\n')}\nstep ${at}: ${JSON.stringify(choice)}`, { cause: error })
        }
      for (const ending of played) endings.set(ending, (endings.get(ending) ?? 0) + 1)
    }),
    // A sequence takes a second: a smaller one of those that fail takes minutes to find.
    { numRuns: RUNS, endOnFailure: true },
  )
  return endings
}

const shown = (endings: ReadonlyMap<string, number>): string =>
  [...endings]
    .map(([ending, count]) => `${ending} ${count}`)
    .toSorted((one, other) => one.localeCompare(other))
    .join(', ')

const countOf = (endings: ReadonlyMap<string, number>, which: RegExp): number =>
  [...endings].reduce((sum, [ending, count]) => (which.test(ending) ? sum + count : sum), 0)

test('after any sequence of operations on Projects, Instances, Clusters, Routers and Routes each Node has the file, the certificates, the pools, the permissions and the firewall that the records give an empty one, the DNS its names, and each active Route answers, one of production from the release that was selected last [RTX-076, RTE-189, RTX-095, CLU-013]', async (context) => {
  const endings = await playAll(fc.constant(undefined))
  context.diagnostic(shown(endings))
  assert.ok(countOf(endings, /: done$/) > RUNS * 8)
})

test('the same when commands fail, answers get lost and the gateway dies on the way, and the identical request follows', async (context) => {
  const endings = await playAll(fc.option(harm, { freq: 2 }).map((given) => given ?? undefined))
  context.diagnostic(shown(endings))
  assert.ok(countOf(endings, /: done, after death$/) > 0)
  assert.ok(countOf(endings, /: done, after \w+\./) > 0)
})
