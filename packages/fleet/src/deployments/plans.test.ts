import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlitePlans } from '@fleet/testing'
import { runningOnes } from '#/deployments/queries.ts'

test('deployments that run are found by their index, whatever has been deployed before', async () => {
  const [plan = ''] = await sqlitePlans((db) => [runningOnes(db)])
  assert.match(plan, /INDEX deployments_running$/)
})
