import assert from 'node:assert/strict'
import { test } from 'node:test'
import { globals } from './globals.ts'
import { parseSource } from './tree.ts'

const found = (path: string, code: string): readonly string[] => globals([parseSource(path, code)]).problems
const domain = 'packages/fleet/src/nodes/x.ts'

const refused = [
  'Date.now()',
  'globalThis.Date.now()',
  'new Date()',
  'Date()',
  'Math.random()',
  'performance.now()',
  'globalThis.crypto.randomUUID()',
  'setTimeout(f, 1)',
  'setInterval(f, 1)',
  'globalThis.setTimeout(f, 1)',
  'setImmediate(f)',
  'randomUUID()',
  'process.env.HOME',
  'read(process.env)',
]
for (const code of refused) {
  test(`${code} is refused in a domain and in an app`, () => {
    assert.equal(found(domain, code).length, 1)
    assert.equal(found('apps/gateway/src/x.ts', code).length, 1)
  })
}

test('the report names file, line and what to take instead', () => {
  assert.deepEqual(found(domain, 'const a = 1\nconst b = Date.now()'), [
    `${domain}:2  Date.now  take the Clock or the Ids of packages/kernel`,
  ])
})

const allowed: ReadonlyArray<readonly [file: string, code: string]> = [
  [domain, 'new Date(text)'],
  [domain, 'clock.now()'],
  [domain, 'row.setTimeout(1)'],
  ['packages/kernel/src/clock.ts', 'setTimeout(f, 1)'],
  ['packages/fleet/src/nodes/x.test.ts', 'Date.now()'],
  ['packages/testing/src/x.ts', 'process.env.HOME'],
  ['apps/gateway/src/env.ts', 'process.env'],
]
for (const [file, code] of allowed) {
  test(`${code} is allowed in ${file}`, () => assert.deepEqual(found(file, code), []))
}

test('a test draws from the seed of the run alone', () => {
  for (const code of ['Math.random()', 'randomInt(10)', 'crypto.randomInt(10)'])
    for (const path of ['packages/fleet/src/nodes/x.test.ts', 'tests/lab/x.ts', 'packages/testing/src/x.ts'])
      assert.deepEqual(found(path, code), [
        `${path}:1  ${code.replace(/\(.*/, '')}  take testSeed of @fleet/testing/sample`,
      ])
  assert.deepEqual(found('tools/explore.ts', 'randomInt(10)'), [])
})
