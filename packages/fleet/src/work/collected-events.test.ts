import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CollectedEvents } from '#/work/collected-events.ts'

test('a record is published once per type, at its first place and with its last data', () => {
  const events = new CollectedEvents()
  events.record('node.deleted', { id: 1, name: 'a' })
  events.record('node.deleted', { id: 2, name: 'b' })
  events.record('node.deleted', { id: 1, name: 'c' })
  assert.deepEqual(events.all(), [
    { type: 'node.deleted', id: 1, data: { id: 1, name: 'c' } },
    { type: 'node.deleted', id: 2, data: { id: 2, name: 'b' } },
  ])
})
