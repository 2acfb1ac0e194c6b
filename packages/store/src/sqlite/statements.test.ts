import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Statements } from '#/sqlite/statements.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
const listOf = (count: number): string =>
  `select 1 as one where 1 in (${numbers(count)
    .map(() => '?')
    .join(', ')})`

test('few prepared statements are kept of long texts, and many of short ones', () => {
  const statements = new Statements(new DatabaseSync(':memory:'))
  for (let count = 5000; count < 5100; count += 1)
    assert.deepEqual(statements.run(listOf(count), numbers(count)).rows, [{ one: 1 }])
  assert.ok(statements.size <= 20, `${statements.size} statements of 15,000 characters are kept`)
  for (let at = 0; at < 600; at += 1) statements.run(`select ${at} as one`, [])
  assert.equal(statements.size, 500)
  statements.close()
})
