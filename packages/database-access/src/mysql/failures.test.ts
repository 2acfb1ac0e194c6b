import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOver } from '#/time/time-limit.ts'
import { mysqlFailure, mysqlLoginFailure } from './failures.ts'

const said = (errno: number, code: string): unknown =>
  mysqlFailure(Object.assign(new Error('said by the server'), { errno, code }), { write: false }, undefined)
    .details

test('an account whose password has expired is told so as one that may not log in', () => {
  assert.deepEqual(said(1820, 'ER_MUST_CHANGE_PASSWORD'), {
    reason: 'login',
    condition: 'ER_MUST_CHANGE_PASSWORD',
  })
  assert.deepEqual(said(1064, 'ER_PARSE_ERROR'), { reason: 'statement', condition: 'ER_PARSE_ERROR' })
})

test('an account of another authentication plugin is told which ones are supported', () => {
  const text = (code: string): string =>
    mysqlLoginFailure(Object.assign(new Error('said by the driver'), { code })).message
  for (const code of ['AUTH_SWITCH_PLUGIN_ERROR', 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED'])
    assert.match(
      text(code),
      /mysql_native_password, caching_sha2_password and sha256_password; ed25519, parsec/,
    )
  assert.match(text('ERR_OSSL_RSA_DATA_TOO_LARGE_FOR_KEY_SIZE'), /with TLS/)
})

test('what the request has ended says so, and what somebody else has ended does not', () => {
  const { details } = timeOver()
  for (const [errno, code, byOthers] of [
    [1317, 'ER_QUERY_INTERRUPTED', { reason: 'statement', condition: 'ER_QUERY_INTERRUPTED' }],
    [1927, 'ER_CONNECTION_KILLED', { reason: 'lost' }],
    [1053, 'ER_SERVER_SHUTDOWN', { reason: 'lost' }],
    [3024, 'ER_QUERY_TIMEOUT', details],
    [1969, 'ER_STATEMENT_TIMEOUT', details],
  ] as const) {
    const error = Object.assign(new Error('said by the server'), { errno, code })
    assert.deepEqual(mysqlFailure(error, { write: true }, undefined).details, byOthers, code)
    assert.deepEqual(mysqlFailure(error, { write: true }, timeOver()).details, details, code)
  }
})
