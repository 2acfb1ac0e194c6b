import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Lines } from './lines.ts'

test('lines come whole however the bytes arrive, without their endings', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })),
      fc.integer({ min: 1, max: 7 }),
      (texts, size) => {
        const wanted = texts.map((text) => text.replaceAll(/[\r\n]/g, ''))
        const bytes = Buffer.from(wanted.map((text) => `${text}\r\n`).join(''))
        const lines = new Lines(1000)
        const found: string[] = []
        for (let at = 0; at < bytes.length; at += size)
          found.push(...lines.take(bytes.subarray(at, at + size)).map(({ text }) => text))
        assert.deepEqual(found, wanted)
        assert.deepEqual(lines.rest(), [])
      },
    ),
  )
})

test('a long line is kept to its bound, without half of a character, and its loss is reported', () => {
  const lines = new Lines(4)
  assert.deepEqual(lines.take(Buffer.from('abcé long\nnext')), [{ text: 'abc', skipped: 6 }])
  assert.deepEqual(lines.rest(), [{ text: 'next', skipped: 0 }])
})
