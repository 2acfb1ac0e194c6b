import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemIds } from './ids.ts'

test('an ordered UUID is of version 7 and begins with the time', () => {
  const before = Date.now()
  const id = systemIds.orderedUuid()
  const after = Date.now()
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  assert.ok(before <= time && time <= after)
  assert.notEqual(systemIds.orderedUuid(), id)
})
