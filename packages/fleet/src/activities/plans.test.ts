import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlitePlans } from '@fleet/testing'
import { filtered, ofNodes } from '#/activities/queries.ts'

test('rows that have not succeeded are found by their index, whatever has happened before', async () => {
  const states = ['running', 'failed'] as const
  for (const plan of await sqlitePlans((db) =>
    states.map((status) => filtered(db, { status }).selectAll()),
  )) {
    assert.match(plan, /USING INDEX activities_unsuccessful/)
    assert.doesNotMatch(plan, /SCAN activities/)
  }
})

test('the newest rows of several Nodes are read along an index and sorted nowhere', async () => {
  const [plan = ''] = await sqlitePlans((db) => [ofNodes(db, { limit: 25 }, [1, 2])])
  assert.match(plan, /activities_caller/)
  assert.match(plan, /activities_target/)
  assert.doesNotMatch(plan, /SCAN activities|TEMP B-TREE/)
})
