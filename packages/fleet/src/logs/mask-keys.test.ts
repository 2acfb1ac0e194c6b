import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskKeys } from '#/logs/mask-keys.ts'

const BEGIN = '-----BEGIN OPENSSH PRIVATE KEY-----'
const END = '-----END OPENSSH PRIVATE KEY-----'
const R = '[REDACTED]'

const inside = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `line ${at}`)
const masked = (count: number): readonly string[] => Array.from({ length: count }, () => R)

for (const [what, lines, shown] of [
  ['nothing', [], []],
  ['lines without a key', ['a', '', 'b', 'c'], ['a', '', 'b', 'c']],
  ['a key on lines of its own', ['a', BEGIN, 'x', END, 'b', 'c'], ['a', R, R, R, 'b', 'c']],
  [
    'what stands before and after it',
    [`key=${BEGIN}`, 'x', `${END}; done`, 'b'],
    [`key=${R}`, R, `${R}; done`, 'b'],
  ],
  ['a key on one line', [`a ${BEGIN} x ${END} b`, 'c'], [`a ${R} b`, 'c']],
  ['two keys', [BEGIN, 'x', END, 'a', BEGIN, 'y', END, 'b'], [R, R, R, 'a', R, R, R, 'b']],
  [
    'a key that begins where another ends',
    [BEGIN, `${END} ${BEGIN}`, 'y', END, 'b'],
    [R, `${R} ${R}`, R, R, 'b'],
  ],
  ['an end without a beginning', ['a', END, 'b'], ['a', END, 'b']],
  ['the beginning of a key whose end is lost', ['a', BEGIN, 'x'], ['a', R, R]],
] as const)
  test(`keys are masked line by line, and everything else is shown: ${what} [LOGS-023]`, () => {
    assert.deepEqual(maskKeys(lines), shown)
  })

test('a key has 200 lines at most; what follows is shown, because its end is lost [LOGS-023]', () => {
  for (const count of [198, 199, 200]) {
    const end = count === 198 ? [R] : [END]
    const seen = [...masked(Math.min(count + 1, 200)), ...inside(count).slice(199), ...end, 'after']
    assert.deepEqual(maskKeys([BEGIN, ...inside(count), END, 'after']), seen)
  }
})
