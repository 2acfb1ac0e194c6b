import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf } from './tree.ts'

test('the bits of a window frame are no id of an object', () => {
  const clause =
    '{WINDOWCLAUSE :name <> :frameOptions 16437 :startOffset <> :endOffset <> :startInRangeFunc 0 :endInRangeFunc 16500 :winref 1}'
  assert.deepEqual(idsOf([clause]).objects, [16500])
})
