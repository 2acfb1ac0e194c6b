import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userFor } from './homes.ts'

test('the Unix user of a production Instance is a name that Linux takes, the same each time and no other one', () => {
  assert.equal(userFor('shop', 'live'), 'shop-live')
  const long = userFor('a-project-with-a-long-name', 'and-another')
  assert.match(long, /^[a-z][a-z0-9-]{1,31}$/)
  assert.equal(userFor('a-project-with-a-long-name', 'and-another'), long)
  assert.notEqual(userFor('a-project-with-a-long-name', 'and-anothes'), long)
  assert.match(userFor('7shop', 'live'), /^app-7shop-live-[0-9a-f]{8}$/)
})
