import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Died, type Moment, momentsOf } from '@fleet/testing/death'
import { testSeed } from '@fleet/testing/sample'
import { startWithFile } from '#/databases/creations/file-world.test.ts'
import type { CreationWorld } from '#/databases/creations/world.test.ts'

const SHARES = 4

/** An active Instance that waits for its copy. */
async function waiting(world: CreationWorld, name: string): Promise<void> {
  const { db } = world.fleet.store
  const setDefault = (environment: 'production' | 'development'): Promise<unknown> =>
    db.updateTable('instances').set({ environment }).where('name', '=', 'default').execute()
  // One of production is not copied.
  await setDefault('production')
  const { id } = await world.create({ name })
  await setDefault('development')
  await db.updateTable('instances').set({ database_pending: 'clone' }).where('id', '=', id).execute()
}

async function momentsOfCopying(world: CreationWorld): Promise<readonly Moment[]> {
  await waiting(world, 'counted')
  const { mortal, domains } = world.mortal()
  await world.create({ name: 'counted' }, world.call(), domains)
  return momentsOf(mortal)
}

test('a gateway that dies at any moment leaves a copy of a SQLite file that the identical request finishes [INS-068]', async () => {
  const { world, file, attach } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const moments = await momentsOfCopying(world)
  assert.ok(moments.length > 10, String(moments.length))
  const { db } = world.fleet.store
  for (const [index, moment] of moments.entries()) {
    // Every seed has its own share; together they try all.
    if (index % SHARES !== testSeed() % SHARES) continue
    const [name, at] = [`n${index}`, JSON.stringify(moment)]
    await waiting(world, name)
    const { domains } = world.mortal(moment)
    await assert.rejects(world.create({ name }, world.call(), domains), Died, at)
    await db.deleteFrom('locks').execute()
    await world.create({ name })
    const rows = await db
      .selectFrom('database_connections')
      .select(['pending_step', 'path'])
      .where('slug', '=', `app-${name}`)
      .execute()
    assert.deepEqual(rows, [{ pending_step: null, path: file(name) }], at)
    using copy = new DatabaseSync(file(name))
    assert.deepEqual(
      copy
        .prepare('SELECT count(*) AS n FROM t')
        .all()
        .map((row) => row['n']),
      [2],
      at,
    )
    assert.ok(world.envFile(name)?.includes(`DB_DATABASE="${file(name)}"`), at)
  }
})
