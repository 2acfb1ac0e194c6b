import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Joined } from './joined.ts'

test('equal lists share one piece of memory; any other list gets its own', () => {
  const joined = new Joined()
  const [a, b, c] = ['a', 'b', 'c'].map((text) => Buffer.from(text))
  assert.ok(a && b && c)
  const first = joined.of([a, b])
  assert.equal(first.toString(), 'ab')
  assert.equal(joined.of([a, b]), first)
  assert.equal(joined.of([b, a]).toString(), 'ba')
  assert.equal(joined.of([b, a, c]).toString(), 'bac')
  assert.equal(joined.of([b]).toString(), 'b')
  // Equal content of other frames is joined anew: only what is the same is known to be equal.
  assert.equal(joined.of([Buffer.from('b')]).toString(), 'b')
  assert.equal(first.toString(), 'ab')
})
