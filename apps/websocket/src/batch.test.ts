import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Batch } from './batch.ts'

const [a, b, c] = [Buffer.from('a'), Buffer.from('b'), Buffer.from('c')]

test('the same frames in the same order are one batch, joined once; any other list is its own', () => {
  const first = new Batch(a)
  assert.equal(first.whole(), a)
  const both = first.and(b)
  assert.equal(first.and(b), both)
  assert.deepEqual([both.length, both.whole().toString()], [2, 'ab'])
  assert.equal(both.whole(), both.whole())
  assert.equal(both.and(c).whole().toString(), 'abc')
  // Who parts from the others does not change what they wait for.
  const other = first.and(c)
  assert.equal(other.and(a).whole().toString(), 'aca')
  assert.deepEqual([first.whole().toString(), both.whole().toString()], ['a', 'ab'])
  // Only the same piece of memory is known to be the same frame.
  assert.notEqual(first.and(Buffer.from('b')), both)
})
