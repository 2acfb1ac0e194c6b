import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { NodeSession } from '#/nodes/api.ts'
import { makeProductionHomes, userFor } from './homes.ts'

test('a home that somebody else has is refused with its user and its path [INS-108]', async () => {
  const details = { node: { id: 4, name: 'live-1' }, reason: 'taken' }
  const session: Pick<NodeSession, 'ask'> = {
    ask: () => Promise.reject(fail('instance.production_placement_conflict', { details })),
  }
  const request = { user: 'shop-live', home: '/home/shop-live', preparationId: 'x' }
  await assert.rejects(
    makeProductionHomes().ensure(session as NodeSession, request), // It asks and does nothing else.
    (error: unknown) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual(
        [error.code, error.details],
        [
          'instance.production_placement_conflict',
          { ...details, user: 'shop-live', home: '/home/shop-live' },
        ],
      )
      return true
    },
  )
})

test('the Unix user of a production Instance is a name that Linux takes, the same each time and no other one', () => {
  assert.equal(userFor('shop', 'live'), 'shop-live')
  const long = userFor('a-project-with-a-long-name', 'and-another')
  assert.match(long, /^[a-z][a-z0-9-]{1,31}$/)
  assert.equal(userFor('a-project-with-a-long-name', 'and-another'), long)
  assert.notEqual(userFor('a-project-with-a-long-name', 'and-anothes'), long)
  assert.match(userFor('7shop', 'live'), /^app-7shop-live-[0-9a-f]{8}$/)
})
