import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogue, eventRegistry } from '@fleet/contract'

test('no operation deletes an Activity, no event says so, and no code of the gateway does [EV-076]', () => {
  const own = catalogue.filter(({ path }) => path.startsWith('/activities'))
  assert.ok(own.length >= 2)
  for (const { name, method } of own) assert.equal(method, 'GET', name)
  assert.ok(!Object.keys(eventRegistry).includes('activity.deleted'))
  const files = globSync('{packages,apps}/*/src/**/*.ts').filter((path) => !path.endsWith('.test.ts'))
  assert.ok(files.length > 500)
  const deleting = files.filter((path) => readFileSync(path, 'utf8').includes("deleteFrom('activities')"))
  assert.deepEqual(deleting, [])
})
