import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { asCaller, fakeCall } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { testSeed } from '@fleet/testing/sample'
import { rowsIn, startAcross, whileWriting } from '#/databases/creations/file-world.test.ts'
import type { CreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'

type Across = Awaited<ReturnType<typeof startAcross>>

const SHARES = 4

test('an Instance on another Node gets a copy of the SQLite file of default at the same place, of one moment while it is written to [INS-063, INS-065]', async () => {
  const { world, other, source, copy, create } = await startAcross()
  await using _world = world
  const { db } = world.fleet.store
  await whileWriting(source, async () => {
    const { id } = await create('feature')
    assert.equal(Number(rowsIn(copy('feature'))) % 2, 0)
    assert.partialDeepStrictEqual(await findConnection(db, 'app-feature'), {
      driver: 'sqlite',
      node_id: other.id,
      path: copy('feature'),
      test_database: ':memory:',
      owner_instance_id: id,
      pending_step: null,
    })
  })
  assert.deepEqual(world.text('copies').split('\n').filter(Boolean).toSorted(), [
    'node-sqlite-carry receive',
    'node-sqlite-carry send',
  ])
  assert.deepEqual(readdirSync(join(copy('feature'), '..')), ['shop.sqlite'])
  await create('feature')
  assert.equal(world.text('copies').match(/carry/g)?.length, 2)
})

test('a copy from another Node needs a grant on it, before anything is stored [INS-040]', async () => {
  const { world, other, create } = await startAcross()
  await using _world = world
  await assert.rejects(create('feature', world.domains, fakeCall({ caller: asCaller(other) })), {
    code: 'node_access.required',
  })
  assert.equal((await world.fleet.store.db.selectFrom('instances').select('id').execute()).length, 1)
})

for (const [problem, end, breakIt] of [
  ['command_missing', 'default', (world: CreationWorld) => world.put('no-send', '127')],
  ['command_missing', 'other', (world: CreationWorld) => world.put('no-receive', '127')],
  ['failed', 'default', (world: CreationWorld) => world.put('no-send', '137')],
  ['failed', 'other', (world: CreationWorld) => world.put('no-receive', '137')],
  ['missing', 'default', (_world: CreationWorld, source: string) => renameSync(source, `${source}.away`)],
  [
    'damaged',
    'default',
    (_world: CreationWorld, source: string) => writeFileSync(source, 'no database'.repeat(99)),
  ],
] as const)
  test(`a copy to another Node that fails leaves neither a record nor the Instance, and says where: ${problem} on ${end} [DB-078, INS-069]`, async () => {
    const { world, other, source, folder, create } = await startAcross()
    await using _world = world
    breakIt(world, source)
    const refused = await refusalOf(create('feature'))
    assert.deepEqual([refused.code, refused.status], ['instance.database_clone_failed', 502])
    const node = end === 'other' ? other : world.fleet.node
    assert.partialDeepStrictEqual(refused.details, {
      reason: 'database.query_failed',
      problem,
      node: { id: node.id, name: node.name },
    })
    assert.equal(await findConnection(world.fleet.store.db, 'app-feature'), undefined)
    assert.deepEqual(await world.fleet.store.db.selectFrom('instances').select('name').execute(), [
      { name: 'default' },
    ])
    assert.equal(existsSync(folder) && readdirSync(folder).length > 0, false)
  })

/** An active Instance that waits for its copy. */
async function waiting({ world, create }: Across, name: string): Promise<void> {
  const { db } = world.fleet.store
  const setDefault = (environment: 'production' | 'development'): Promise<unknown> =>
    db.updateTable('instances').set({ environment }).where('name', '=', 'default').execute()
  // One of production is not copied.
  await setDefault('production')
  const { id } = await create(name)
  await setDefault('development')
  await db.updateTable('instances').set({ database_pending: 'clone' }).where('id', '=', id).execute()
}

const carried = ({ world }: Across): number => world.text('copies').match(/carry send/g)?.length ?? 0

const pendingOf = async ({ world }: Across, name: string): Promise<string | null | undefined> =>
  (await findConnection(world.fleet.store.db, `app-${name}`))?.pending_step

async function momentsOfCopying(across: Across) {
  await waiting(across, 'counted')
  const { mortal, domains } = across.world.mortal()
  await across.create('counted', domains)
  return momentsOf(mortal)
}

test('a gateway that dies at any moment of a copy between Nodes leaves one that the identical request finishes, without copying again what was finished [INS-068]', async () => {
  const across = await startAcross()
  const { world, copy, create } = across
  await using _world = world
  const moments = await momentsOfCopying(across)
  assert.ok(moments.length > 10, String(moments.length))
  let finished = 0
  for (const [index, moment] of moments.entries()) {
    const at = JSON.stringify(moment)
    // Every seed has its own share; together they try all.
    if (index % SHARES !== testSeed() % SHARES) continue
    const name = `n${index}`
    await waiting(across, name)
    await assert.rejects(create(name, world.mortal(moment).domains), Died, at)
    await world.fleet.store.db.deleteFrom('locks').execute()
    const [before, pending] = [carried(across), await pendingOf(across, name)]
    const isFinished = pending === 'copy' || pending === null
    if (isFinished) finished += 1
    await create(name)
    assert.equal(await pendingOf(across, name), null, at)
    assert.equal(rowsIn(copy(name)), 2, at)
    assert.equal(carried(across) - before, isFinished ? 0 : 1, at)
  }
  assert.ok(finished > 0)
})
