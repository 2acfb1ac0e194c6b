import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, errorRegistry, findOperation } from '@fleet/contract'
import { codesByStatus, errorCodes } from './error-codes.ts'

const codesOf = (name: string): readonly string[] => {
  const operation = findOperation(name)
  assert.ok(operation)
  return errorCodes(operation)
}

test('a public operation implies no identity, a peer operation no grant', () => {
  assert.deepEqual(codesOf('gateway:status'), ['validation.failed'])
  assert.deepEqual(codesOf('node:list'), ['peer.identity_unknown', 'validation.failed'])
  assert.deepEqual(codesOf('node:show'), [
    'peer.identity_unknown',
    'node_access.required',
    'node.not_found',
    'validation.failed',
  ])
})

test('a Node or Instance that a member outside the path names can be unknown', () => {
  assert.deepEqual(codesOf('tool:list'), [
    'peer.identity_unknown',
    'node_access.required',
    'node.not_found',
    'validation.failed',
  ])
  for (const name of [
    'tool:manager:list',
    'tool:scan',
    'tool:install',
    'instance:clone',
    'instance:transfer',
  ])
    assert.ok(codesOf(name).includes('node.not_found'), name)
  for (const code of ['node.not_found', 'instance.not_found'])
    assert.ok(codesOf('schedule:create').includes(code), code)
})

test('an operation of an extension can find it disabled', () => {
  const operation = findOperation('node:list')
  assert.ok(operation)
  assert.ok(errorCodes({ ...operation, extension: 'tasks' }).includes('extension.disabled'))
})

test('every code of every operation is registered and listed once under its status', () => {
  for (const operation of catalogue) {
    const listed = [...codesByStatus(operation)]
    assert.deepEqual(listed.flatMap(([, codes]) => codes).toSorted(), [...errorCodes(operation)].toSorted())
    for (const [status, codes] of listed)
      for (const code of codes) assert.equal(errorRegistry[code].status, status)
    assert.equal(new Set(errorCodes(operation)).size, errorCodes(operation).length)
  }
})
