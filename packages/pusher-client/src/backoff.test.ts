import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoff } from './backoff.ts'

const chance = (value: number) => ({ bytes: () => new Uint8Array([value, value]) })

test('the time to the next try grows from 2 to 30 s, half of it by chance [AGT-035]', () => {
  const spans = Array.from({ length: 8 }, (_, failures) => [
    Math.round(backoff(failures, chance(0))),
    Math.round(backoff(failures, chance(255))),
  ])
  assert.deepEqual(spans, [
    [2000, 2000],
    [2000, 4000],
    [4000, 8000],
    [8000, 16_000],
    [15_000, 30_000],
    [15_000, 30_000],
    [15_000, 30_000],
    [15_000, 30_000],
  ])
})
