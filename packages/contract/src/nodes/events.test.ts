import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventRegistry } from '../events.ts'

test('a Node is created, updated or deleted: no event reports its status alone [NODE-128]', () => {
  const ofNodes = Object.keys(eventRegistry).filter((type) => type.startsWith('node.'))
  assert.deepEqual(ofNodes.toSorted(), ['node.created', 'node.deleted', 'node.updated'])
})
