import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PemMask } from './pem-mask.ts'
import { REDACTED as MASKED } from './redaction.ts'

const masked = (...lines: string[]): readonly string[] => {
  const mask = new PemMask()
  return lines.map((line) => mask.mask(line))
}
const [BEGIN, END] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----']

test('a block is masked from its first line to its last, what stands around it is not [LOGS-023]', () => {
  assert.deepEqual(masked('a', `key: ${BEGIN}`, 'MII', `${END} done`, 'b'), [
    'a',
    `key: ${MASKED}`,
    MASKED,
    `${MASKED} done`,
    'b',
  ])
})

test('blocks in one line, as in JSON, are masked, also when another begins behind them [LOGS-023]', () => {
  assert.deepEqual(masked(`x ${BEGIN}\\nMII\\n${END} y ${BEGIN} MII ${END} z`), [`x ${MASKED} y ${MASKED} z`])
  assert.deepEqual(masked(`x ${BEGIN}MII${END} ${BEGIN}MII`, 'MII', `${END}${BEGIN}`, 'MII', END, 'z'), [
    `x ${MASKED} ${MASKED}`,
    MASKED,
    MASKED + MASKED,
    MASKED,
    MASKED,
    'z',
  ])
})

test('a block that never ends is masked for 200 lines [LOGS-023]', () => {
  const lines = masked(BEGIN, ...Array.from({ length: 300 }, () => 'line'))
  assert.equal(lines.filter((line) => line === MASKED).length, 200)
  assert.equal(lines[200], 'line')
})

test('a block that begins inside an open one is masked to its end [LOGS-023]', () => {
  const before = Array.from({ length: 190 }, () => 'line')
  const key = [BEGIN, ...Array.from({ length: 25 }, () => 'MII'), END]
  assert.deepEqual(masked('no end: -----BEGIN X-----', ...before, ...key, 'b'), [
    `no end: ${MASKED}`,
    ...[...before, ...key].map(() => MASKED),
    'b',
  ])
})

/** A text that may begin inside a block. */
const end = (...lines: string[]): readonly string[] => {
  const mask = new PemMask()
  mask.expect(lines)
  return lines.map((line) => mask.mask(line))
}

test('a text that begins inside a block is masked to the end of it, a key after that too [LOGS-023]', () => {
  assert.deepEqual(end('MII', `${END} b ${BEGIN}`, 'MII', `${END} b`), [
    MASKED,
    `${MASKED} b ${MASKED}`,
    MASKED,
    `${MASKED} b`,
  ])
  assert.deepEqual(end('a', BEGIN, END, 'b', END), ['a', MASKED, MASKED, 'b', END])
  for (const count of [198, 199, 200]) {
    const lines = Array.from({ length: count }, () => 'line')
    const shown = count < 200 ? [...lines, END].map(() => MASKED) : [...lines, END]
    assert.deepEqual(end(...lines, END, 'b'), [...shown, 'b'])
  }
})

test('a line of many beginnings without an end takes no time worth mentioning', () => {
  const line = BEGIN.repeat(50_000)
  assert.deepEqual(masked(line, END, 'b'), [MASKED, MASKED, 'b'])
})
