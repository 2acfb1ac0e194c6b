import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, fail, toolOutcomes } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { describing } from './failure.ts'

const outcomeOf = async (code: ErrorCode): Promise<unknown> => {
  const refusal: unknown = await describing({ step: 'install' }, async () => {
    throw fail(code)
  }).catch((error: unknown) => error)
  assert.ok(refusal instanceof CodedError)
  assert.equal(refusal.code, code)
  return refusal.details?.['outcome']
}

test('an operation on a Tool ends in one of seven outcomes, and each refusal has its own [TLX-040]', async () => {
  assert.deepEqual(toolOutcomes, [
    'applied',
    'unchanged',
    'blocked_by_constraint',
    'constraint_invalid',
    'candidate_version_unavailable',
    'candidate_version_unparseable',
    'manager_failed',
  ])
  for (const [code, outcome] of [
    ['tool.version_constraint_blocked', 'blocked_by_constraint'],
    ['tool.constraint_invalid', 'constraint_invalid'],
    ['tool.candidate_version_unavailable', 'candidate_version_unavailable'],
    ['tool.candidate_version_unparseable', 'candidate_version_unparseable'],
    ['tool.package_protected', 'manager_failed'],
  ] as const)
    assert.equal(await outcomeOf(code), outcome)
})
