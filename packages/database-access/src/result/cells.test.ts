import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonCell } from './cells.ts'

test('a number of a JSON value that a double would change is shown by its digits, and every other one as it is', () => {
  for (const [text, cell] of [
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740990.6', '9007199254740990.6'],
    ['123456789012345678901234567890.5', '123456789012345678901234567890.5'],
    ['2.123456789012345678', '2.123456789012345678'],
    ['2.123456789012345', 2.123456789012345],
    ['0.1', 0.1],
    ['1.10', 1.1],
    ['-0.0', -0],
    ['100', 100],
    ['1.5e3', 1500],
    ['1E-7', 1e-7],
    ['1e400', '1e400'],
    ['1e-400', '1e-400'],
  ] as const) {
    assert.deepEqual(jsonCell(text), cell, text)
    assert.deepEqual(jsonCell(`{"a":[${text}]}`), { a: [cell] }, text)
  }
  assert.deepEqual(jsonCell('{"a":"1.10","b":null,"c":true}'), { a: '1.10', b: null, c: true })
  assert.equal(jsonCell('{'), '{')
})
