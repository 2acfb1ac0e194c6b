import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { Fault } from '@fleet/kernel'
import { codeOf, withDetails } from '#/error-details.ts'

const known = fail('node.unreachable', { message: 'web-1 is silent.', details: { node: 'web-1' } })
/** With a code that no client knows. */
const foreign = new Fault('elsewhere.broken', { status: 500, retry: 'change', message: 'x' })

test('an error keeps its code, message and details beside the further ones', () => {
  const { code, message, details, cause } = withDetails(known, { step: 'source' }, 'instance.removal_failed')
  assert.deepEqual(
    { code, message, details },
    { code: 'node.unreachable', message: 'web-1 is silent.', details: { node: 'web-1', step: 'source' } },
  )
  assert.equal(cause, known)
})

test('an unexpected error, also one whose code nobody declared, becomes the given one with itself as the cause', () => {
  for (const error of [new Error('disk'), foreign, 'text']) {
    const { code, details, cause } = withDetails(error, { step: 'source' }, 'instance.removal_failed')
    assert.deepEqual(
      { code, details, cause },
      { code: 'instance.removal_failed', details: { step: 'source' }, cause: error },
    )
    assert.equal(codeOf(error, 'instance.removal_failed'), 'instance.removal_failed')
  }
  assert.equal(codeOf(known, 'instance.removal_failed'), 'node.unreachable')
})
