import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { addNode, addRoute, testDomains } from '@fleet/testing'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'

test('the file has the domain of the Route in the place of its placeholder, on the Node of the Instance [ENV-040, INS-129]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  // Only the account of the Node of the Instance is the one that commands run as here.
  await fleet.store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  const elsewhere = await addNode(fleet.store, { user: 'somebody-else' })
  await addRoute(fleet.store, data, { node_id: elsewhere.id })
  const { handlers } = testDomains({ store: fleet.store, ssh: fleet.pool }).environment
  const instance = data.id
  const values = { APP_URL: 'https://{{instance.domain}}/a', MODE: '{{instance.environment}}' }
  for (const [key, value] of Object.entries(values))
    await handlers['env:update']({ call: fleet.call(), input: { instance, key, value } })
  await handlers['env:sync']({ call: fleet.call(), input: { instance } })
  assert.match(
    readFileSync(join(data.checkout_path, '.env'), 'utf8'),
    /^APP_URL="?https:\/\/shop\.example\/a"?\nMODE="?development"?$/m,
  )
})
