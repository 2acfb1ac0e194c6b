import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../catalogue.ts'
import { environmentOperations, environmentResult } from './index.ts'

const { envImport, envSync, envUpdate } = environmentOperations

test('no operation reads or deletes a stored key [INS-136]', () => {
  const below = Object.values(catalogue).filter(({ path }) => path.includes('/environment'))
  assert.deepEqual(below.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'POST /instances/{instance}/environment/import',
    'POST /instances/{instance}/environment/sync',
    'PUT /instances/{instance}/environment/{key}',
  ])
})

test('unknown and wrongly typed members are refused by every input [ENV-012]', () => {
  const instance = 7
  const refused = [
    envImport.input.safeParse({ instance, replace: 'yes' }),
    envImport.input.safeParse({ instance, force: true }),
    envSync.input.safeParse({ instance, replace: true }),
    envUpdate.input.safeParse({ instance, key: 'A' }),
    envUpdate.input.safeParse({ instance, key: 'A', value: 1 }),
    envUpdate.input.safeParse({ instance, key: 'A', value: null }),
    envUpdate.input.safeParse({ instance, key: 'A', value: '', note: '' }),
  ]
  assert.deepEqual(
    refused.map(({ success }) => success),
    refused.map(() => false),
  )
  assert.ok(envImport.input.safeParse({ instance }).success)
  assert.ok(envUpdate.input.safeParse({ instance, key: 'A', value: '' }).success)
})

test('an answer holds the Instance, the operation, whether something changed, and a count [ENV-013, INS-133, INS-134]', () => {
  const answer = { instance_id: 7, operation: 'sync', changed: false, key_count: 1024 }
  for (const { output } of [envImport, envSync, envUpdate]) assert.deepEqual(output.parse(answer), answer)
  for (const wrong of [{ key_count: 1025 }, { key_count: -1 }, { operation: 'read' }, { value: 'x' }]) {
    assert.equal(environmentResult.safeParse({ ...answer, ...wrong }).success, false)
  }
})
