import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '@fleet/store'
import { readInventory } from '#/dependencies/inventory.ts'
import { NPM, startWorld, type World } from '#/dependencies/world.test.ts'

/** A scanned Instance whose packages are missing from the first reads of them, as while a scan replaces its observation. */
async function changing(world: World, reads: number): Promise<{ readonly db: Database; asked(): number }> {
  world.put(NPM)
  await world.scan()
  const { db } = world.store
  let asked = 0
  const selectFrom = (table: string): unknown => {
    if (!table.startsWith('dependency_resolutions')) return db.selectFrom(table as 'nodes') // As the caller names it.
    asked += 1
    const rows = db.selectFrom('dependency_resolutions as resolution')
    return asked <= reads ? rows.where('resolution.observation_id', '=', -1) : rows
  }
  return {
    db: new Proxy(db, {
      get: (target, name, receiver) =>
        name === 'selectFrom' ? selectFrom : Reflect.get(target, name, receiver),
    }),
    asked: () => asked,
  }
}

test('an observation that is replaced while it is read is read again, five times in all', async () => {
  await using world = await startWorld()
  const four = await changing(world, 4)
  assert.deepEqual(await readInventory(four.db, world.instance.id), await world.show())
  assert.equal(four.asked(), 5)
  const five = await changing(world, 5)
  await assert.rejects(readInventory(five.db, world.instance.id), {
    message: `the inventory of the Instance ${world.instance.id} changed with every read`,
  })
  assert.equal(five.asked(), 5)
})
