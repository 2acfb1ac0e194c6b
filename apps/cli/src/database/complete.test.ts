import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completer } from './complete.ts'

test('names of tables are asked for once and complete the last word, whatever its case', async () => {
  let asked = 0
  const complete = completer(async () => {
    asked += 1
    return ['orders', 'Other', 'audit.log']
  })
  assert.deepEqual(await complete('select * from o'), [['orders', 'Other'], 'o'])
  assert.deepEqual(await complete('select count(A'), [['audit.log'], 'A'])
  assert.deepEqual(await complete('\\d ord'), [['orders'], 'ord'])
  assert.deepEqual(await complete('\\d'), [['\\dt', '\\d '], '\\d'])
  assert.equal(asked, 1)
})

test('where tables cannot be had, nothing is offered', async () => {
  const complete = completer(() => Promise.reject(new Error('gone')))
  assert.deepEqual(await complete('select * from o'), [[], 'o'])
})
