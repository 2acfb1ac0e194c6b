import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { provisionFailure } from '#/tools/readiness.ts'

test('a manager that was not provisioned records its own code, or that of a Node that does not answer', () => {
  const failed_step = 'materialize'
  assert.deepEqual(provisionFailure(fail('tool.manager_unavailable')), {
    failed_step,
    error_code: 'node.tool_manager_materialization_failed',
  })
  assert.deepEqual(provisionFailure(fail('node.unreachable')), {
    failed_step,
    error_code: 'node.unreachable',
  })
})
