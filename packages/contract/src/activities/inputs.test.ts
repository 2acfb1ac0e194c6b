import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activityList } from './list.ts'

const takes = (given: object): boolean => activityList.input.safeParse(given).success

test('a list takes 1 to 200 rows, 25 when nothing is said [ACT-006]', () => {
  assert.equal(activityList.input.parse({}).limit, 25)
  for (const limit of [1, 200]) assert.ok(takes({ limit }))
  for (const limit of [0, 201, 1.5]) assert.ok(!takes({ limit }))
})

test('each filter has its form [ACT-003, ACT-006]', () => {
  const request_id = '6f0d2c1e-0b1d-4c55-8c0f-0d6a4f0b5a11'
  const good = [
    { before_id: 1 },
    { request_id },
    { status: 'running' },
    { command: 'a'.repeat(255) },
    { caller_node_id: 1 },
    { target_node_id: 1 },
  ]
  for (const given of good) assert.ok(takes(given), JSON.stringify(given))
  const bad = [
    { before_id: 0 },
    { request_id: 'x' },
    { status: 'done' },
    { command: '' },
    { command: 'a'.repeat(256) },
    { caller_node_id: 0 },
    { other: 1 },
  ]
  for (const given of bad) assert.ok(!takes(given), JSON.stringify(given))
})
