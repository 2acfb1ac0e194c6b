import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInRange, isVersionRange } from './version-range.ts'

test('locked versions of every manager are compared with a range', () => {
  const rows: ReadonlyArray<readonly [version: string, range: string, isIn: boolean]> = [
    ['4.17.20', '<4.17.21', true],
    ['4.17.21', '<4.17.21', false],
    ['v6.4.2', '^6.4', true],
    ['6.4.2.0', '^6.4', true],
    ['5.0.0-beta.1', '<5', false],
    ['5.0.0-beta.1', '>=4', true],
    ['dev-main', '*', false],
    ['1.2.3', '1.2.3', true],
    ['1.2.3', '1.x || 3', true],
  ]
  for (const [version, range, isIn] of rows)
    assert.equal(isInRange(version, range), isIn, `${version} ${range}`)
})

test('what is no range, and one that would be slow to read, is refused', () => {
  for (const range of ['^1.2', '<4.17.21', '1 - 3', '*', ' 1 ']) assert.ok(isVersionRange(range), range)
  for (const range of [
    '',
    '  ',
    '\t',
    'next',
    '>',
    '1.x y',
    '<4.17.2l',
    '1.2.3.4.5',
    '>'.repeat(20),
    `>=1 ${'|| 2 '.repeat(100)}`,
  ])
    assert.equal(isVersionRange(range), false, range)
})
