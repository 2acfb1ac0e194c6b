import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskFirst } from './mask-first.ts'
import { MASKED, PemMask } from './pem-mask.ts'

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

test('a block that begins above the first lines is masked in them [LOGS-015, LOGS-023]', () => {
  const lines = ['MII', 'MII', END, 'a', BEGIN, 'MII', END, 'b'].map((text) => ({ text, skipped: 0 }))
  assert.deepEqual(maskFirst(lines, 7, new PemMask()), [MASKED, MASKED, 'a', MASKED, MASKED, MASKED, 'b'])
  assert.deepEqual(maskFirst(lines, 2, new PemMask()), [MASKED, 'b'])
})
