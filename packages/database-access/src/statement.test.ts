import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireStatementText } from './statement.ts'

test('a text that no database takes is refused with what is wrong with it [LIM-008]', () => {
  for (const [sql, message] of [
    ['', 'The statement is empty.'],
    ['x'.repeat(16_385), 'The statement has 16385 characters, and at most 16384 are sent.'],
    ['select 1\0', 'The statement has a NUL, which no database takes.'],
  ] as const)
    assert.throws(() => requireStatementText(sql), {
      code: 'database.query_failed',
      message,
      details: { reason: 'statement', condition: 'invalid_text' },
    })
  requireStatementText('😀'.repeat(16_384))
})
