import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ENVIRONMENT_LIMITS,
  FormatRefused,
  type FormatProblem,
  keyNames,
  parseFile,
} from '#/environment/format/index.ts'

const refusal = (content: Uint8Array | string): FormatProblem | undefined => {
  try {
    parseFile(content)
    return undefined
  } catch (error) {
    if (error instanceof FormatRefused) return error.problem
    throw error
  }
}
const assignments = (count: number, value = 'x'): string =>
  Array.from({ length: count }, (_, i) => `K${i}="${value}"\n`).join('')

test('a file of 1 MiB is read and one byte more is refused [ENV-081]', () => {
  const lines = assignments(16, 'a'.repeat(65_500))
  const filled = `${lines}#${'c'.repeat(ENVIRONMENT_LIMITS.fileBytes - lines.length - 1)}`
  assert.equal(Buffer.byteLength(filled), ENVIRONMENT_LIMITS.fileBytes)
  assert.equal(parseFile(filled).size, 16)
  assert.deepEqual(refusal(`${filled}c`), { rule: 'file_size' })
})

test('1,024 keys are read and one more is refused [ENV-079]', () => {
  assert.equal(parseFile(assignments(1024)).size, 1024)
  assert.deepEqual(refusal(assignments(1025)), { rule: 'key_count', line: 1025, key: 'K1024' })
})

test('a key of 255 characters is read and a longer one is refused [ENV-077]', () => {
  assert.equal(parseFile(`${'K'.repeat(255)}=1`).size, 1)
  assert.deepEqual(refusal(`${'K'.repeat(256)}=1`), { rule: 'key_name', line: 1 })
})

test('a value of 65,536 bytes is read, one byte more or a NUL is refused [ENV-078]', () => {
  assert.equal(parseFile(`A=${'é'.repeat(32_768)}`).get('A')?.length, 32_768)
  assert.deepEqual(refusal(`A=${'é'.repeat(32_768)}x`), { rule: 'value_size', line: 1, key: 'A' })
  assert.deepEqual(refusal('\nA="a\0b"'), { rule: 'value_nul', line: 2, key: 'A' })
})

test('bytes that are no UTF-8 are refused with their line [ENV-029]', () => {
  const broken = Buffer.concat([Buffer.from('A=1\nB=é\nC='), Buffer.from([0xc3]), Buffer.from('\nD=1\n')])
  assert.deepEqual(refusal(broken), { rule: 'file_encoding', line: 3 })
  assert.deepEqual(refusal(Buffer.from([0x41, 0x3d, 0xff])), { rule: 'file_encoding', line: 1 })
})

test('expansions cannot multiply a file beyond its bounds', () => {
  const wide = `A=${'a'.repeat(65_000)}\nB=${'$A'.repeat(400_000)}`
  assert.deepEqual(refusal(wide), { rule: 'value_size', line: 2, key: 'B' })
  const many = `A=${'a'.repeat(65_000)}\n${Array.from({ length: 1000 }, (_, i) => `B${i}=$A\n`).join('')}`
  assert.equal(refusal(many)?.rule, 'file_size')
})

test('hostile texts of 1 MiB are judged in linear time', { timeout: 20_000 }, () => {
  for (const piece of [' ', '"', "'", '\\', '$', '{{', '#', '=', 'A=', 'A="', 'export ', '\n', '\r']) {
    const text = piece.repeat(Math.floor(1_000_000 / piece.length))
    for (const hostile of [text, `A=${text}`, `A=${text}x`, `A="${text}`]) refusal(hostile)
  }
})

test('no text makes the parser break or a refusal show more than names [ENV-075]', () => {
  const piece = fc.constantFrom(
    'A',
    'B',
    '=',
    '"',
    "'",
    '\\',
    '$',
    '{',
    '}',
    '(',
    '#',
    '\n',
    ' ',
    '`',
    'export ',
    'canary',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const problem = refusal(pieces.join(''))
      if (!problem) return
      assert.deepEqual(
        Object.keys(problem).filter((name) => !['rule', 'line', 'key'].includes(name)),
        [],
      )
      const { key = 'A' } = problem
      assert.match(key, /^[A-Za-z_][A-Za-z0-9_]*$/)
    }),
    { numRuns: 3000 },
  )
})

test('key names are read from files that would be refused, and never from inside a value [ENV-047]', () => {
  const text = 'A=1\nA=2\nB="\\d"\nC=$NOWHERE\nD="MIIcanary=\nE=canary\n"\nexport F=1 # G=2\n'
  assert.deepEqual(keyNames(Buffer.from(text)), { names: new Set(['A', 'B', 'C', 'D', 'F']) })
})

test('a place that cannot be read ends the key names with its line [ENV-047]', () => {
  assert.deepEqual(keyNames(Buffer.from('A=1\n\nMIIcanary\nB=2\n')), {
    names: new Set(['A']),
    problem: { rule: 'line_syntax', line: 3 },
  })
  assert.deepEqual(keyNames(Buffer.from('A=1\nB="open\nC=canary=\n')), {
    names: new Set(['A']),
    problem: { rule: 'quote_open', line: 2 },
  })
  assert.deepEqual(keyNames(Buffer.from([0xff])), {
    names: new Set(),
    problem: { rule: 'file_encoding', line: 1 },
  })
})
