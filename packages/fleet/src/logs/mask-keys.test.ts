import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskKeys, maskTail, withLinesAbove } from '#/logs/mask-keys.ts'

const BEGIN = '-----BEGIN OPENSSH PRIVATE KEY-----'
const END = '-----END OPENSSH PRIVATE KEY-----'
const R = '[REDACTED]'

const many = (count: number, text: string): readonly string[] => Array.from({ length: count }, () => text)

test('the last lines of a log show nothing of a key, wherever it begins and whatever of it was read [LOGS-023]', () => {
  const log = [...many(300, 'a'), BEGIN, ...many(25, 'MII'), END, 'b']
  for (let shown = 1; shown < 40; shown += 1) {
    const read = log.slice(-withLinesAbove(shown))
    const seen = [...many(40, 'a'), ...many(27, R), 'b'].slice(-shown)
    assert.deepEqual(maskTail(read, shown), seen)
    // Cut at its bytes instead, in the key or above it.
    assert.deepEqual(maskTail(log.slice(-shown), shown), seen)
  }
})

test('of a log that is shorter than what may be read every line is shown', () => {
  assert.deepEqual(maskTail(['a', '', 'b'], 100), ['a', '', 'b'])
  assert.deepEqual(maskTail([''], 1), [''])
})

test('of a text that is known from its beginning, only what follows the beginning of a key is masked', () => {
  assert.deepEqual(maskKeys(`a\n${END}\nkey=${BEGIN}\nMII\n${END}; b`), ['a', END, `key=${R}`, R, `${R}; b`])
})
