import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTextFrame } from './text-frame.ts'

test('the head reports the length in one, two or eight bytes, and the text follows whole', () => {
  const headOf = (length: number): readonly number[] => {
    const text = `ä${'x'.repeat(length - 2)}`
    const frame = encodeTextFrame(text)
    const head = frame.subarray(0, frame.length - length)
    assert.equal(frame.subarray(head.length).toString(), text)
    return [...head]
  }
  assert.deepEqual(headOf(2), [0x81, 2])
  assert.deepEqual(headOf(125), [0x81, 125])
  assert.deepEqual(headOf(126), [0x81, 126, 0, 126])
  assert.deepEqual(headOf(65_535), [0x81, 126, 0xff, 0xff])
  assert.deepEqual(headOf(65_536), [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
})
