import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod'
import { clusterCreate } from './create.ts'
import { clusterNodeDetach } from './node-detach.ts'
import { clusterRouterClear } from './router-clear.ts'
import { clusterUpdate } from './update.ts'

const takes = (input: z.ZodType, given: object): boolean => input.safeParse(given).success

for (const [name, input] of [
  ['creation', clusterCreate.input],
  ['an update', clusterUpdate.input.omit({ cluster: true })],
] as const) {
  test(`${name} takes a name of 1 to 255 characters [CLU-004, CLU-005]`, () => {
    for (const given of ['a', 'Berlin, rack 7', 'a'.repeat(255)]) assert.ok(takes(input, { name: given }))
    for (const given of ['', 'a'.repeat(256), null, 7]) assert.ok(!takes(input, { name: given }))
  })

  test(`${name} takes one lowercase DNS label or null as top-level domain [CLU-004, CLU-005, CLU-030]`, () => {
    const takesTld = (tld: unknown): boolean => takes(input, { name: 'a', tld })
    for (const tld of [null, 'a', '7', 'web-1', 'a'.repeat(63)]) assert.ok(takesTld(tld), String(tld))
    for (const tld of ['', 'a.b', '.a', 'A', '-a', 'a-', 'ä', 'a'.repeat(64), 7])
      assert.ok(!takesTld(tld), String(tld))
  })
}

test('creation needs a name and takes no state [CLU-004]', () => {
  assert.ok(!takes(clusterCreate.input, {}))
  assert.ok(!takes(clusterCreate.input, { name: 'a', state: 'active' }))
})

test('detach and clear accept force and need none [CLU-008, CLU-010]', () => {
  for (const { input } of [clusterNodeDetach, clusterRouterClear]) {
    const path = { cluster: 1, ...('node' in input.shape ? { node: 2 } : {}) }
    for (const given of [{}, { force: true }, { force: false }, { force: 'true' }])
      assert.ok(takes(input, { ...path, ...given }))
    for (const given of [{ force: 'yes' }, { force: null }, { surely_unknown: 1 }])
      assert.ok(!takes(input, { ...path, ...given }))
  }
})
