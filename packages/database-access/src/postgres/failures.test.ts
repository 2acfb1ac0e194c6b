import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOver } from '#/time/time-limit.ts'
import { ServerError } from './exchange.ts'
import { postgresFailure } from './failures.ts'

test('a statement that is too deep to be judged is told so, and not as a lost connection', () => {
  const deep = postgresFailure(
    new RangeError('Maximum call stack size exceeded'),
    { write: false },
    undefined,
  )
  assert.equal(
    deep.message,
    'The database refused the statement (54001): its parts stand too deep in each other.',
  )
})

test('what the request has ended says so, and what somebody else has ended does not', () => {
  const { details } = timeOver()
  for (const [code, byOthers] of [
    ['57014', { reason: 'statement', condition: '57014' }],
    ['57P01', { reason: 'lost' }],
    ['57P02', { reason: 'lost' }],
    ['57P03', { reason: 'lost' }],
    ['25P04', details],
  ] as const) {
    const error = new ServerError(Object.assign(new Error('said by the server'), { code }))
    assert.deepEqual(postgresFailure(error, { write: true }, undefined).details, byOthers, code)
    assert.deepEqual(postgresFailure(error, { write: true }, timeOver()).details, details, code)
  }
})
