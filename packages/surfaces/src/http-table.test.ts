import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { httpTable } from './http-table.ts'

const table = httpTable(catalogue)
const row = (name: string) => table.find((route) => route.name === name)

test('every operation has one row, and no two share method and path [API-023]', () => {
  assert.deepEqual(
    table.map((route) => route.name),
    catalogue.map((operation) => operation.name),
  )
  assert.equal(new Set(table.map(({ method, path }) => `${method} ${path}`)).size, table.length)
  for (const { path } of table) assert.ok(path.startsWith('/api/v1/'), path)
})

test('members travel in path and body of a change', () => {
  assert.deepEqual(row('env:update'), {
    name: 'env:update',
    method: 'PUT',
    path: '/api/v1/instances/{instance}/environment/{key}',
    params: ['instance', 'key'],
    members: { instance: 'path', key: 'path', value: 'body' },
    kind: 'json',
    creates: false,
    readOnly: false,
    destructive: false,
  })
})

test('members of a read travel in the query, those of a removal in query or body', () => {
  assert.equal(row('activity:list')?.members['limit'], 'query')
  assert.deepEqual(row('instance:destroy')?.members, {
    instance: 'path',
    force: 'either',
    offline: 'either',
  })
  assert.equal(row('instance:destroy')?.destructive, true)
})
