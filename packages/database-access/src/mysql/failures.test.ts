import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mysqlFailure } from './failures.ts'

const said = (errno: number, code: string): unknown =>
  mysqlFailure(Object.assign(new Error('said by the server'), { errno, code }), false).details

test('an account whose password has expired is told so as one that may not log in', () => {
  assert.deepEqual(said(1820, 'ER_MUST_CHANGE_PASSWORD'), {
    reason: 'login',
    condition: 'ER_MUST_CHANGE_PASSWORD',
  })
  assert.deepEqual(said(1064, 'ER_PARSE_ERROR'), { reason: 'statement', condition: 'ER_PARSE_ERROR' })
})
