import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Died, type Moment, momentsOf } from '@fleet/testing/death'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'

/** An active Instance that waits for its database. */
async function waiting(world: CreationWorld, name: string): Promise<void> {
  const { id } = await world.create({ name })
  await world.fleet.store.db
    .updateTable('instances')
    .set({ database_server: 'main', database_pending: 'server' })
    .where('id', '=', id)
    .execute()
}

const given = (name: string) => ({ name, database_server: 'main' })

/** The moments at which the request of a creation that waits for its database can die. */
async function momentsOfProviding(world: CreationWorld): Promise<readonly Moment[]> {
  await waiting(world, 'counted')
  const { mortal, domains } = world.mortal()
  await world.create(given('counted'), world.call(), domains)
  return momentsOf(mortal)
}

test('a gateway that dies at any moment leaves a database that the identical request finishes [INS-044]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  const moments = await momentsOfProviding(world)
  assert.ok(moments.length > 20, String(moments.length))
  const { db } = world.fleet.store
  for (const [index, moment] of moments.entries()) {
    const name = `n${index}`
    await waiting(world, name)
    const { domains } = world.mortal(moment)
    await assert.rejects(world.create(given(name), world.call(), domains), Died, JSON.stringify(moment))
    await db.deleteFrom('locks').execute()
    await world.create(given(name))
    const rows = await db
      .selectFrom('database_connections')
      .select(['pending_step', 'username'])
      .where('slug', '=', `app-${name}`)
      .execute()
    assert.deepEqual(rows, [{ pending_step: null, username: `app_${name}` }], JSON.stringify(moment))
    const own = world.onServer().filter((each) => new RegExp(`_${name}(_test)?$`).test(each))
    assert.deepEqual(own, [`db.app_${name}`, `db.app_${name}_test`, `user.app_${name}`])
    assert.match(world.envFile(name) ?? '', new RegExp(`^DB_DATABASE="app_${name}"$`, 'm'))
    assert.match(world.envFile(name, '.env.testing') ?? '', new RegExp(`"app_${name}_test"`))
  }
})
