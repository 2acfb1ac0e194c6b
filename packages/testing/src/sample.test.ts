import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { FIXED_SEED, sampled, testSeed } from './sample.ts'

function withEnvironment(context: TestContext, given: Readonly<Record<string, string | undefined>>): void {
  const before = { ...process.env }
  context.after(() => {
    for (const name of Object.keys(given)) restore(name, before[name])
  })
  for (const [name, value] of Object.entries(given)) restore(name, value)
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

const CASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

test('without a seed the fixed one decides, and the sample is the same each time', (context) => {
  withEnvironment(context, { FLEET_TEST_SEED: undefined, FLEET_TEST_WHOLE: undefined })
  assert.equal(testSeed(), FIXED_SEED)
  assert.deepEqual(sampled(CASES, 3), ['c', 'f'])
})

test('seeds that follow one another, and offsets under one seed, try every case once', (context) => {
  withEnvironment(context, { FLEET_TEST_SEED: '40', FLEET_TEST_WHOLE: undefined })
  assert.deepEqual([0, 1, 2].flatMap((offset) => sampled(CASES, 3, offset)).toSorted(), CASES)
  const byEnvironment = ['40', '41', '42'].flatMap((seed) => {
    process.env['FLEET_TEST_SEED'] = seed
    return sampled(CASES, 3)
  })
  assert.deepEqual(byEnvironment.toSorted(), CASES)
})

test('a whole run tries every case', (context) => {
  withEnvironment(context, { FLEET_TEST_SEED: '7', FLEET_TEST_WHOLE: '1' })
  assert.deepEqual(sampled(CASES, 3), CASES)
})
