import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { addNode } from '@fleet/testing'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { rowsIn, startWithFile, whileWriting } from '#/databases/creations/file-world.test.ts'
import type { CreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'

const asked = (world: CreationWorld): string => world.text('copies')

test('a new Instance owns a copy of the SQLite file of default at the same place, whose tests run in memory, and loses both when it is destroyed [DB-026, DB-030, INS-062, INS-066]', async () => {
  const { world, file, attach } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const call = world.call()
  const { id } = await world.create({}, call)
  const { db } = world.fleet.store
  assert.partialDeepStrictEqual(await findConnection(db, 'app-feature'), {
    driver: 'sqlite',
    node_id: world.fleet.node.id,
    path: file('feature'),
    test_database: ':memory:',
    owner_instance_id: id,
    server_id: null,
    password: null,
    pending_step: null,
  })
  assert.equal(rowsIn(file('feature')), 2)
  assert.match(world.envFile('feature') ?? '', /^DB_CONNECTION="sqlite"$/m)
  assert.ok(world.envFile('feature')?.includes(`DB_DATABASE="${file('feature')}"\n`))
  assert.match(world.envFile('feature', '.env.testing') ?? '', /^DB_DATABASE=":memory:"$/m)
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['database.created', 'instance.created'],
  )
  // The database stays whatever becomes of the setup.
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['database.created'],
  )
  assert.equal(asked(world).match(/^node-sqlite-copy \{/gm)?.length, 1, 'paths are on standard input alone')
  const again = world.call()
  await world.create({}, again)
  assert.deepEqual(again.events, [])
  assert.equal(asked(world).match(/^node-sqlite-copy/gm)?.length, 1)
  using written = new DatabaseSync(file('feature'))
  written.exec('DELETE FROM t')
  assert.equal(rowsIn(file('default')), 2)
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.equal(await findConnection(db, 'app-feature'), undefined)
  assert.ok(!existsSync(file('feature')))
  assert.equal(rowsIn(file('default')), 2)
})

test('Instances that are created while default is written to get whole databases [INS-065]', async () => {
  const { world, file, attach } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  await whileWriting(file('default'), async () => {
    for (const name of ['one', 'two', 'three']) {
      await world.create({ name })
      assert.equal(Number(rowsIn(file(name))) % 2, 0)
    }
  })
})

test('a file that is not in the checkout of default, or is on another Node that is not active, refuses before anything is stored [DB-077, INS-070]', async () => {
  const { world, file, attach } = await startWithFile()
  await using _world = world
  const { db } = world.fleet.store
  const reasonOf = async (given = {}): Promise<unknown> => {
    const { code, status, details } = await refusalOf(world.create(given))
    assert.deepEqual([code, status], ['instance.database_clone_unsupported', 422])
    return details['reason']
  }
  await attach(join(world.fleet.home, 'away.sqlite'), 'away')
  assert.equal(await reasonOf(), 'outside_checkout')
  // Nodes that can have no server need the other way.
  await assert.rejects(world.create(), { message: /`fleet instance:database:remove 1 away --prefix DB`/ })
  await attach(`${file('default')}/../../../feature/data/shop.sqlite`, 'climbing')
  assert.equal(await reasonOf(), 'outside_checkout')
  await attach(file('default'), 'nowhere', null)
  assert.equal(await reasonOf(), 'outside_checkout')
  await attach(file('default'))
  const other = await addNode(world.fleet.store, { user_home: world.fleet.home })
  await db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', world.fleet.node.id).execute()
  assert.equal(await reasonOf({ node_id: other.id }), 'node_inactive')
  assert.deepEqual(await db.selectFrom('instances').select('name').execute(), [{ name: 'default' }])
  assert.ok(!existsSync(join(world.fleet.apps, 'app', 'feature')))
})

for (const [problem, breakIt] of [
  ['command_missing', (world: CreationWorld) => world.put('no-copy', '127')],
  ['failed', (world: CreationWorld) => world.put('no-copy', '137')],
  ['missing', (_world: CreationWorld, path: string) => renameSync(path, `${path}.away`)],
  [
    'outside',
    (_world: CreationWorld, path: string) => {
      const away = join(path, '..', '..', '..', '..', 'away.sqlite')
      renameSync(path, away)
      symlinkSync(away, path)
    },
  ],
] as const)
  test(`a copy that fails leaves neither a record nor the Instance: ${problem} [DB-078, INS-069]`, async () => {
    const { world, file, attach } = await startWithFile()
    await using _world = world
    await attach(file('default'))
    breakIt(world, file('default'))
    const before = world.fleet.residue()
    const refused = await refusalOf(world.create())
    assert.deepEqual([refused.code, refused.status], ['instance.database_clone_failed', 502])
    assert.partialDeepStrictEqual(refused.details, { reason: 'database.query_failed', problem })
    assert.equal(await findConnection(world.fleet.store.db, 'app-feature'), undefined)
    assert.deepEqual(await world.fleet.store.db.selectFrom('instances').select('name').execute(), [
      { name: 'default' },
    ])
    assert.deepEqual(world.fleet.residue(), before)
    assert.deepEqual(readdirSync(join(world.fleet.apps, 'app')), ['default'])
  })

test('attaching and detaching change the stored configuration alone, and a synchronization the file; it also repairs keys that differ [DB-087, DBD-006]', async () => {
  const { world, file, attach, defaultId: instance } = await startWithFile()
  await using _world = world
  const { databases, environment } = world.domains
  const [call, written] = [world.call(), (): string => world.envFile('default') ?? '']
  await environment.importFirst(call, instance)
  const before = written()
  await attach(file('default'))
  assert.equal(written(), before)
  await environment.synchronize(call, instance)
  assert.match(written(), /^DB_CONNECTION="sqlite"$/m)
  const node = await world.domains.nodes.nodes.find(world.fleet.node.id)
  assert.ok(node)
  const codes = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const check of await databases.attachmentChecks.checksOf(call, node))
      if (check.kind === 'stored' && (await check.judge())) found.push(check.code)
    return found
  }
  const update = { instance, key: 'DB_CONNECTION', value: 'mysql' }
  await environment.handlers['env:update']({ call, input: update })
  assert.deepEqual(await codes(), ['database_connection.env_mismatch'])
  const connection = { instance, slug: 'lite', prefix: 'DB' }
  await databases.handlers['instance:database:add']({ call, input: connection })
  await environment.synchronize(call, instance)
  assert.deepEqual(await codes(), [])
  assert.match(written(), /^DB_CONNECTION="sqlite"$/m)
  await databases.handlers['instance:database:remove']({ call, input: connection })
  assert.match(written(), /^DB_CONNECTION="sqlite"$/m)
  await environment.synchronize(call, instance)
  assert.doesNotMatch(written(), /^DB_/m)
})

test('a name that somebody took, or that is of another database of the Instance, is never taken over by its copy [DB-075, INS-069]', async () => {
  const { world, file, attach } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const { db } = world.fleet.store
  for (const [name, isOwn, driver] of [
    ['one', false, 'sqlite'],
    ['two', true, 'mysql'],
  ] as const) {
    // An active Instance that waits for its copy.
    await db
      .updateTable('instances')
      .set({ environment: 'production' })
      .where('name', '=', 'default')
      .execute()
    const { id } = await world.create({ name })
    await db
      .updateTable('instances')
      .set({ environment: 'development' })
      .where('name', '=', 'default')
      .execute()
    await db.updateTable('instances').set({ database_pending: 'clone' }).where('id', '=', id).execute()
    const slug = `app-${name}`
    const taken = {
      slug,
      driver,
      owner_instance_id: isOwn ? id : null,
      created_at: '2026-01-02T03:04:05.000Z',
    }
    await db.insertInto('database_connections').values(taken).execute()
    const before = await findConnection(db, slug)
    const { code, details } = await refusalOf(world.create({ name }))
    assert.deepEqual([code, details['reason']], ['instance.database_clone_failed', 'database.slug_conflict'])
    assert.deepEqual(details['database_connection'], { id: before?.id, slug })
    if (!isOwn) assert.deepEqual(await findConnection(db, slug), before)
    assert.ok(!existsSync(file(name)))
  }
})
