// What changes while a clone waits for the lock of its candidate.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { fakeCall, fakeNodeServices, testDomains } from '@fleet/testing'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { cloneWorld } from '#/instances/production/clone-world.test.ts'

type CloneWorld = Awaited<ReturnType<typeof cloneWorld>>

/** `instance:clone`, which finds somebody at work on the candidate, who does this before it gets its turn. */
function cloneAfter(
  fleet: InstancesFleet,
  { candidate, production, domains }: CloneWorld,
  meanwhile: () => Promise<unknown>,
) {
  let isDone = false
  const store: Store = {
    ...fleet.store,
    locks: {
      holderOf: (name) => fleet.store.locks.holderOf(name),
      acquire: async (request) => {
        if (!isDone && request.name === `instance:${candidate.id}:operation`) {
          isDone = true
          await meanwhile()
        }
        return fleet.store.locks.acquire(request)
      },
    },
  }
  const { productionHomes } = domains
  const waiting = testDomains({ store, clock: systemClock, ssh: fleet.pool }, { productionHomes })
  return waiting.instances.handlers['instance:clone']({
    call: fleet.call(),
    input: { candidate: candidate.id, node_id: production.id, name: 'live', preview_name: 'preview' },
  })
}

test('a Node that loses app-prod meanwhile gets no clone [INS-108]', async () => {
  await using fleet = await startInstancesFleet()
  const world = await cloneWorld(fleet)
  const { owned } = testDomains({ store: fleet.store }).nodeServices
  const { roleHandlers } = testDomains(
    { store: fleet.store },
    { nodeServices: { ...fakeNodeServices(), owned } },
  )
  const node = world.production.id
  const lose = () => roleHandlers['node:role:remove']({ call: fakeCall(), input: { node, role: 'app-prod' } })
  const { code, details } = await refusalOf(cloneAfter(fleet, world, lose))
  const named = { id: node, name: world.production.name }
  assert.deepEqual([code, details['node']], ['instance.node_not_app_prod', named])
  const stored = fleet.store.db.selectFrom('instances').select('name')
  assert.deepEqual(await stored.where('name', '=', 'live').execute(), [])
})
