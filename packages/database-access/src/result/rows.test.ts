import assert from 'node:assert/strict'
import { test } from 'node:test'
import { binaryCell, jsonCell } from './cells.ts'
import { makeRedact } from './redact.ts'
import { collectRows } from './rows.ts'

const PASSWORD = 'horse7Battery'

const shown = (json: string): unknown => {
  const rows = collectRows(['a'], makeRedact(PASSWORD))
  rows.add([jsonCell(json)])
  return rows.result().rows[0]?.['a']
}

test('a JSON value that looks like bytes is JSON: the password is replaced in each of its members [DB-057]', () => {
  assert.deepEqual(shown(`{"base64":"${PASSWORD}"}`), { base64: '[REDACTED]' })
  assert.deepEqual(shown(`{"base64":"YQ==","cut":true,"b":["${PASSWORD}"],"${PASSWORD}":1}`), {
    base64: 'YQ==',
    cut: true,
    b: ['[REDACTED]'],
    '[REDACTED]': 1,
  })
  assert.deepEqual(shown(`[{"base64":"YQ==","cut":"${PASSWORD}"}]`), [{ base64: 'YQ==', cut: '[REDACTED]' }])
})

test('bytes are replaced as a whole where they have the password, and shown as they are otherwise [DB-057]', () => {
  const rows = collectRows(['a', 'b', 'c'], makeRedact('abc'))
  // Its base64 has the password by chance.
  const chance = Buffer.from('abcabcab', 'base64')
  rows.add([
    binaryCell(Buffer.from('x abc')),
    binaryCell(chance),
    [binaryCell(Buffer.from('abc', 'utf16le'))],
  ])
  assert.deepEqual(rows.result().rows, [{ a: '[REDACTED]', b: { base64: 'abcabcab' }, c: ['[REDACTED]'] }])
})
