import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@fleet/store'
import { openShop } from '#/routes/pools/world.test.ts'
import {
  addApp,
  create,
  createFor,
  createInstance,
  destroy,
  destroyInstance,
  setTargets,
  startWorld,
  update,
  type World,
} from '#/routes/world.test.ts'

/** Counts the transactions that are open, and what is done on machines meanwhile. */
function watching() {
  const within: string[] = []
  const seen = { open: 0, transactions: 0, within }
  const behind = (store: Store): Store => ({
    ...store,
    transaction: async (work) => {
      seen.open += 1
      seen.transactions += 1
      try {
        return await store.transaction(work)
      } finally {
        seen.open -= 1
      }
    },
  })
  const watch = ({ done }: World): void => {
    const { push } = Array.prototype
    done.push = (...said) => {
      if (seen.open > 0) seen.within.push(...said)
      return push.apply(done, said)
    }
  }
  return { seen, behind, watch }
}

test('no transaction is open while a machine is asked: of a creation, a change of the domain, a further Route and their removal [RTE-188]', async () => {
  const { seen, behind, watch } = watching()
  await using world = await startWorld({ behind })
  watch(world)
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, domain: 'old.example' })
  await update(world, data.route?.id ?? 0, { domain: 'new.example' })
  const further = await createFor(world, data.id, { web_root: 'apps/admin/public' })
  await destroy(world, further.data.id)
  await destroy(world, (await create(world)).data.id)
  await destroyInstance(world, data.id)
  assert.deepEqual(seen.within, [])
  assert.ok(seen.transactions >= 5 && world.done.length > 20)
})

test('no transaction is open while a machine is asked: of a set of targets and the removals that it authorizes [RTE-188]', async () => {
  const { seen, behind, watch } = watching()
  const { world, instances, routes } = await openShop({ behind })
  await using _world = world
  watch(world)
  const [a, b] = instances
  await setTargets(world, routes[0], [a, b])
  await setTargets(world, routes[0], [b], { dispositions: [{ instance_id: a, remove: true }] })
  assert.deepEqual(seen.within, [])
  assert.ok(seen.transactions >= 5 && world.done.length > 20)
})
