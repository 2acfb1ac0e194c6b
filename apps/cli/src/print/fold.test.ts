import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createColors } from 'picocolors'
import { foldAll } from './fold.ts'

const width = (text: string): number => text.length
const fold = (line: string, columns = 40): readonly string[] => foldAll([line], columns, width)

test('a text behind a name continues below its beginning', () => {
  assert.deepEqual(fold('  status    the Node answered and is converged again'), [
    '  status    the Node answered and is',
    '            converged again',
  ])
})

test('a text that would be too narrow beside its name goes below it', () => {
  assert.deepEqual(fold('a_rather_long_name_of_a_member  text of several words'), [
    'a_rather_long_name_of_a_member  text of',
    '    several words',
  ])
  assert.deepEqual(fold('request_id    0f9f1f5a-5c0e-4a63-9e0c-0d6c1b1f6a11'), [
    'request_id',
    '    0f9f1f5a-5c0e-4a63-9e0c-0d6c1b1f6a11',
  ])
})

test('a line that fits, a command, and everything without a terminal stays as it is', () => {
  const command = '  next  fleet node:add web-1 203.0.113.7 --host-key-fingerprint SHA256:x'
  assert.deepEqual(fold(command), [command])
  assert.deepEqual(fold('x'.repeat(40)), ['x'.repeat(40)])
  const long = 'word '.repeat(100)
  assert.deepEqual(foldAll([long], Number.POSITIVE_INFINITY, width), [long])
})

test('colors take no columns and stay at their words', () => {
  const { dim, red } = createColors(true)
  assert.deepEqual(fold(`${dim('name'.padEnd(8))}  ${red('one two three four five six seven')}`), [
    '\u001B[2mname\u001B[22m      \u001B[31mone two three four five six',
    '          seven\u001B[39m',
  ])
})

test('below 40 columns the text is that of 40', () => {
  const line = 'some words that are longer than forty columns together'
  assert.deepEqual(fold(line, 10), fold(line, 40))
})

test('every word stays, in its order, and no line of several words is too long', () => {
  const texts = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 })
  const facts = {
    texts,
    indent: fc.nat(12),
    gap: fc.integer({ min: 1, max: 12 }),
    columns: fc.integer({ min: 40, max: 90 }),
  }
  fc.assert(
    fc.property(fc.record(facts), ({ texts: [first = '', ...rest], indent, gap, columns }) => {
      const line = `${' '.repeat(indent)}${first}${' '.repeat(gap)}${rest.join(' ')}`.trimEnd()
      const folded = fold(line, columns)
      assert.deepEqual(folded.join(' ').trim().split(/ +/), line.trim().split(/ +/))
      for (const one of folded) assert.ok(one.length <= columns, one)
    }),
  )
})
