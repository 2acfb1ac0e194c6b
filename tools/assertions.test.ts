import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertions } from './assertions.ts'
import { parseSource } from './tree.ts'

const found = (code: string): readonly string[] =>
  assertions([parseSource('packages/x/src/x.ts', code)]).problems

test('an assertion without a reason is reported with its line', () => {
  assert.deepEqual(found('const a = 1\nconst b = a as B'), [
    'packages/x/src/x.ts:2  as  needs a comment on its line that says why it holds',
  ])
})

const refused = [
  'const b = a!',
  'const b = <B>a',
  'const b = a as unknown as B',
  '// Reason for something else entirely.\nconst c = 1\nconst b = a as B',
  '/** What b is and is for. */\nconst b = a as B',
  '// oxlint-disable-next-line some-rule because of it\nconst b = a as B',
  'const b = a as B // ok',
]
for (const code of refused)
  test(`refuses ${JSON.stringify(code)}`, () => assert.notEqual(found(code).length, 0))

const allowed = [
  'const b = a as B // The parser gives nothing else.',
  '// The parser gives nothing else.\nconst b = a as B',
  'const b = {\n  one: 1,\n} as B // The parser gives nothing else.',
  "const b = ['a'] as const",
  'const b = a satisfies B',
  "import { a as b } from './a.ts'",
]
for (const code of allowed) test(`allows ${JSON.stringify(code)}`, () => assert.deepEqual(found(code), []))
