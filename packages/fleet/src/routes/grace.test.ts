import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { fleetLock, holding } from '#/locks/api.ts'
import { addApp, createInstance, startWorld, update } from '#/routes/world.test.ts'

test('while resolvers may still answer with the old name others publish names, and what is served afterwards is read anew [RTX-043]', async () => {
  await using world = await startWorld()
  const { store, clock } = world.deps
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, domain: 'old.example' })
  world.builds.length = 0
  const during: string[] = []
  Object.assign(clock, {
    sleep: async () => {
      const held = await store.db.selectFrom('locks').select('name').orderBy('name').execute()
      during.push(...held.map(({ name }) => name))
      await holding(store, fakeCall(), fleetLock('names'), async () => void during.push('published'))
      await store.db.updateTable('instances').set({ root: 'web' }).where('id', '=', data.id).execute()
    },
  })
  await update(world, data.route?.id ?? 0, { domain: 'new.example' })
  assert.deepEqual(during, ['instance:1:operation', 'route:1', 'published'])
  const socket = `/run/php/orbit-app-instance-${data.id}.sock`
  const before = `/home/fleet/apps/shop/default/public ${socket}`
  assert.deepEqual(world.builds, [
    `new.example ${before}, old.example ${before}`,
    `new.example /home/fleet/apps/shop/default/web ${socket}`,
  ])
})
