import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBody, parseForm } from './body.ts'

const errorsOf = (text: string): unknown => parseBody(Buffer.from(text)).error?.details?.['errors']

test('text that no database gives back as it came is refused by its path', () => {
  const [nul, half] = ['must not contain a NUL', 'must not contain an unpaired surrogate']
  assert.deepEqual(errorsOf('{"a":{"b":["x","\\u0000"]},"c":"\\ud800"}'), { 'a.b.1': [nul], c: [half] })
  assert.deepEqual(errorsOf('{"a":{"\\udfff":1},"\\u0000":1}'), { a: [half], body: [nul] })
  assert.deepEqual(errorsOf('{"defaults":{"__proto__":"x"}}'), {
    defaults: ['must not contain a member __proto__'],
  })
  assert.equal(errorsOf('{"a":"😀","b":["\\n"]}'), undefined)
  assert.deepEqual(parseForm(Buffer.from('a=%00')).error?.details?.['errors'], { a: [nul] })
})

test('a number that would be read back as null is refused by its path', () => {
  const tooFar = ['must not exceed 1.797e308']
  assert.deepEqual(errorsOf('{"a":{"b":[1e400]},"c":-1e309}'), { 'a.b.0': tooFar, c: tooFar })
  assert.equal(errorsOf('{"a":1.797e308,"b":-0,"c":1e-400}'), undefined)
})

test('as many members as a body holds are walked', () => {
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`m${index}`, '']))
  assert.equal(errorsOf(JSON.stringify({ a: many })), undefined)
})
