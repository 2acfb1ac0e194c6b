import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InputError, type Route, writeRequest } from './route.ts'

const update: Route = {
  name: 'env:update',
  method: 'PUT',
  path: '/api/v1/instances/{instance}/environment/{key}',
  members: { instance: 'path', key: 'path', value: 'body' },
  kind: 'json',
}
const list: Route = {
  name: 'activity:list',
  method: 'GET',
  path: '/api/v1/activities',
  members: { limit: 'query', command: 'query' },
  kind: 'json',
}
const destroy: Route = {
  name: 'instance:destroy',
  method: 'DELETE',
  path: '/api/v1/instances/{instance}',
  members: { instance: 'path', force: 'either' },
  kind: 'json',
}

test('members go to path, query and body; absent ones nowhere', () => {
  assert.deepEqual(writeRequest(update, { instance: 'a.test', key: 'A', value: 'x' }), {
    target: '/api/v1/instances/a.test/environment/A',
    body: '{"value":"x"}',
  })
  assert.deepEqual(writeRequest(list, { limit: 5, command: 'env:sync', status: undefined }), {
    target: '/api/v1/activities?limit=5&command=env%3Async',
    body: undefined,
  })
  assert.deepEqual(writeRequest(destroy, { instance: 4, force: true }), {
    target: '/api/v1/instances/4?force=true',
    body: undefined,
  })
})

test('a parameter cannot leave its place in the path', () => {
  for (const key of ['.', '..', ''])
    assert.throws(() => writeRequest(update, { instance: 1, key, value: '' }), InputError)
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((key) => key !== '.' && key !== '..'),
      (key) => {
        const { target } = writeRequest(update, { instance: 1, key, value: '' })
        const segments = new URL(target, 'https://gateway.fleet').pathname.split('/')
        assert.equal(segments.length, 7)
        assert.equal(decodeURIComponent(segments[6] ?? ''), key)
      },
    ),
  )
})
