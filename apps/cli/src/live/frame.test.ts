import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frame } from './frame.ts'

test('a picture is changed where it differs, at one stroke, and not at all where it is the same', () => {
  assert.equal(frame(['a', 'b'], ['a', 'b']), '')
  assert.equal(
    frame(['a', 'b', 'c'], ['a', 'x']),
    '\u001B[?2026h\u001B[2;1Hx\u001B[K\u001B[3;1H\u001B[K\u001B[?2026l',
  )
})
