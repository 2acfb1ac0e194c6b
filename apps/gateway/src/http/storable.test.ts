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

test('as many members as a body holds are walked', () => {
  const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`m${index}`, '']))
  assert.equal(errorsOf(JSON.stringify({ a: many })), undefined)
})
