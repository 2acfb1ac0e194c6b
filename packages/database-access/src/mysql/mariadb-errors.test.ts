import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameAsMariadb } from './mariadb-errors.ts'

const named = (errno: number, code?: string): unknown => {
  const error = Object.assign(new Error('said by the server'), { errno, code })
  nameAsMariadb(error)
  return error.code
}

test('an error of MariaDB has the name that MariaDB has for its number, and others keep theirs', () => {
  assert.equal(named(4124, 'ER_SRS_INVALID_HEIGHT'), 'ER_VERS_NOT_VERSIONED')
  assert.equal(named(4151, 'ER_BULK_PARSER_INCOMPLETE_ESCAPE_SEQUENCE'), 'ER_ACCOUNT_HAS_BEEN_LOCKED')
  assert.equal(named(4206), 'ER_VEC_DISTANCE_TYPE')
  assert.equal(named(1969), 'ER_STATEMENT_TIMEOUT')
  assert.equal(named(1064, 'ER_PARSE_ERROR'), 'ER_PARSE_ERROR')
  assert.equal(named(4207, 'ER_OF_MYSQL'), 'ER_4207')
  assert.equal(named(4999, 'ER_OF_MYSQL'), 'ER_4999')
  assert.equal(named(0, 'ECONNRESET'), 'ECONNRESET')
})
