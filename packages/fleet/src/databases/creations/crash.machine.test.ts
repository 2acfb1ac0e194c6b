import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Died, type Moment, momentsOf } from '@fleet/testing/death'
import { testSeed } from '@fleet/testing/sample'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'

const SHARES = 8

type Kind = 'server' | 'clone'

/** An active Instance that waits for its database. */
async function waiting(world: CreationWorld, name: string, kind: Kind): Promise<void> {
  // One of production is not copied.
  await makeDefault(world, 'production')
  const { id } = await world.create({ name })
  await makeDefault(world, 'development')
  await world.fleet.store.db
    .updateTable('instances')
    .set({ database_server: kind === 'server' ? 'main' : null, database_pending: kind })
    .where('id', '=', id)
    .execute()
}

const makeDefault = (world: CreationWorld, environment: 'production' | 'development'): Promise<unknown> =>
  world.fleet.store.db.updateTable('instances').set({ environment }).where('name', '=', 'default').execute()

const given = (name: string, kind: Kind) => ({
  name,
  ...(kind === 'server' ? { database_server: 'main' } : {}),
})

const copies = (world: CreationWorld): number => world.log().match(/^copy /gm)?.length ?? 0

const pendingOf = async (world: CreationWorld, name: string): Promise<string | null | undefined> =>
  (await findConnection(world.fleet.store.db, `app-${name}`))?.pending_step

/** The moments at which the request of a creation that waits for its database can die. */
async function momentsOfProviding(world: CreationWorld, kind: Kind): Promise<readonly Moment[]> {
  await waiting(world, 'counted', kind)
  const { mortal, domains } = world.mortal()
  await world.create(given('counted', kind), world.call(), domains)
  return momentsOf(mortal)
}

for (const kind of ['server', 'clone'] as const)
  test(`a gateway that dies at any moment leaves a database that the identical request finishes: ${kind} [INS-044, INS-068]`, async () => {
    await using world = await startCreationWorld()
    await world.createServer()
    if (kind === 'clone') {
      await world.create({ name: 'default', database_server: 'main' })
      world.put('db.app_default', 'rows of default')
    }
    const moments = await momentsOfProviding(world, kind)
    assert.ok(moments.length > 12, String(moments.length))
    const { db } = world.fleet.store
    for (const [index, moment] of moments.entries()) {
      // Every seed has its own share; together they try all.
      if (index % SHARES !== testSeed() % SHARES) continue
      const name = `n${index}`
      await waiting(world, name, kind)
      const { domains } = world.mortal(moment)
      await assert.rejects(
        world.create(given(name, kind), world.call(), domains),
        Died,
        JSON.stringify(moment),
      )
      await db.deleteFrom('locks').execute()
      const [before, pending] = [copies(world), await pendingOf(world, name)]
      await world.create(given(name, kind))
      // What was finished is not copied again.
      const isCopied = kind === 'server' || pending === 'copy' || pending === null
      assert.equal(copies(world) - before, isCopied ? 0 : 1, JSON.stringify(moment))
      const rows = await db
        .selectFrom('database_connections')
        .select(['pending_step', 'username'])
        .where('slug', '=', `app-${name}`)
        .execute()
      assert.deepEqual(rows, [{ pending_step: null, username: `app_${name}` }], JSON.stringify(moment))
      assert.equal(world.text(`db.app_${name}`), kind === 'clone' ? 'rows of default' : '')
      const own = world.onServer().filter((each) => new RegExp(`_${name}(_test)?$`).test(each))
      assert.deepEqual(own, [`db.app_${name}`, `db.app_${name}_test`, `user.app_${name}`])
      assert.match(world.envFile(name) ?? '', new RegExp(`^DB_DATABASE="app_${name}"$`, 'm'))
      assert.match(world.envFile(name, '.env.testing') ?? '', new RegExp(`"app_${name}_test"`))
    }
  })
