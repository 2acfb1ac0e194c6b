import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { InstanceData } from '@fleet/contract'
import { addInstance, addRoute } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { testSeed } from '@fleet/testing/sample'
import { startWithFile } from '#/databases/creations/file-world.test.ts'
import { type CreationWorld, startCreationWorld } from '#/databases/creations/world.test.ts'
import { findConnection } from '#/databases/queries.ts'

const SHARES = 4

const rowsIn = (path: string): number => {
  using database = new DatabaseSync(path)
  assert.equal(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0], 'ok')
  return Number(Object.values(database.prepare('SELECT count(*) FROM t').get() ?? {})[0])
}

const attachmentsOf = (world: CreationWorld, instanceId: number) =>
  world.fleet.store.db
    .selectFrom('database_attachments')
    .select(['prefix', 'slug'])
    .where('instance_id', '=', instanceId)
    .orderBy('prefix')
    .execute()

const show = async (world: CreationWorld, id: number): Promise<InstanceData> => {
  const call = world.call()
  return (await world.domains.instances.handlers['instance:show']({ call, input: { instance: id } })).data
}

test('a copy has SQLite files of its own, registered or not, and its stored values name them [INS-072]', async () => {
  const { world, file, attach, defaultId } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const { handlers } = world.domains.environment
  const stored = {
    instance: defaultId,
    key: 'EXTRA',
    value: `sqlite:${join(world.fleet.apps, 'app/default/more.db')}`,
  }
  await handlers['env:update']({ call: world.call(), input: stored })
  const other = (name: string): string => join(world.fleet.apps, 'app', name, 'data', 'plain.db')
  using open = new DatabaseSync(other('default'))
  // What is only in the log of a database in use is in its copy too.
  open.exec('PRAGMA journal_mode = wal; CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1), (2), (3)')
  const call = world.call()
  const { id } = await world.create({ source_instance_id: defaultId }, call)
  const { db } = world.fleet.store
  assert.partialDeepStrictEqual(await findConnection(db, 'app-feature'), {
    driver: 'sqlite',
    node_id: world.fleet.node.id,
    path: file('feature'),
    owner_instance_id: id,
    test_database: ':memory:',
    pending_step: null,
  })
  assert.deepEqual(await attachmentsOf(world, id), [{ prefix: 'DB', slug: 'app-feature' }])
  const asked = world.text('copies').split('\n')
  for (const path of [file('feature'), other('feature')])
    assert.equal(asked.filter((line) => line.includes(`"to":"${path}"`)).length, 1, path)
  assert.deepEqual([rowsIn(file('feature')), rowsIn(other('feature'))], [2, 3])
  const env = world.envFile('feature') ?? ''
  assert.ok(env.includes(`DB_DATABASE="${file('feature')}"\n`), env)
  assert.ok(env.includes(`EXTRA="sqlite:${join(world.fleet.apps, 'app/feature/more.db')}"\n`), env)
  assert.match(env, /^APP_NAME="shop"$/m)
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['database.created', 'instance.created'],
  )
  // The database stays whatever becomes of the setup.
  assert.deepEqual(
    call.published.map(({ type }) => type),
    ['database.created'],
  )
  assert.deepEqual((await show(world, id)).shared_databases, [])
  using written = new DatabaseSync(file('feature'))
  written.exec('DELETE FROM t')
  assert.equal(rowsIn(file('default')), 2)
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.equal(await findConnection(db, 'app-feature'), undefined)
  assert.deepEqual([rowsIn(file('default')), existsSync(file('feature'))], [2, false])
})

test('a database on a server is shared with the source and listed, and outlives the copy [INS-015, INS-072]', async () => {
  await using world = await startCreationWorld()
  await world.createServer()
  const { id: source } = await world.create({ name: 'default', database_server: 'main' })
  const { id } = await world.create({ source_instance_id: source })
  const shared = [{ slug: 'app-default', prefix: 'DB', driver: 'mysql' }]
  assert.deepEqual((await show(world, id)).shared_databases, shared)
  assert.deepEqual(await attachmentsOf(world, id), [{ prefix: 'DB', slug: 'app-default' }])
  assert.equal(world.envFile('feature'), world.envFile('default'))
  const onServer = world.onServer()
  await world.fleet.destroy(id, true, world.domains.instances)
  assert.deepEqual(world.onServer(), onServer)
  assert.notEqual(await findConnection(world.fleet.store.db, 'app-default'), undefined)
})

test('a copy of an Instance without stored values and without a file gets no file either [INS-072]', async () => {
  await using world = await startCreationWorld()
  world.fleet.git.commit('app', 'main', { '.env.example': null })
  const { id: source } = await world.create({ name: 'default' })
  assert.equal(world.envFile('default'), undefined)
  await world.create({ source_instance_id: source })
  assert.equal(world.envFile('feature'), undefined)
})

// Each transaction adds a pair of rows: a copy of one moment has no odd one.
const WRITER = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { timeout: 60000 })
const add = database.prepare('INSERT INTO t (pair) VALUES (?), (?)')
process.stdout.write('writing')
for (let pair = 1; ; pair += 1) add.run(pair, pair)`

test('a copy made while the source writes is whole [INS-072]', async () => {
  const { world, file, attach, defaultId } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, '--', file('default')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await once(writer.stdout, 'data')
    for (const name of ['one', 'two', 'three']) {
      await world.create({ name, source_instance_id: defaultId })
      assert.equal(rowsIn(file(name)) % 2, 0)
    }
  } finally {
    writer.kill('SIGKILL')
    await once(writer, 'exit')
  }
})

test('a SQLite file outside of the checkout, or a name that is taken, refuses the copy before anything is made [INS-073]', async () => {
  const { world, file, attach, defaultId } = await startWithFile()
  await using _world = world
  const names = async () => world.fleet.store.db.selectFrom('instances').select('name').execute()
  const create = () => world.create({ source_instance_id: defaultId })
  await attach(join(world.fleet.home, 'away.sqlite'), 'away')
  const outside = await refusalOf(create())
  assert.deepEqual(
    [outside.code, outside.details['reason']],
    ['instance.database_clone_unsupported', 'outside_checkout'],
  )
  await attach(file('default'))
  await attach(file('default'), 'app-feature')
  await assert.rejects(create(), { code: 'database.slug_conflict' })
  assert.deepEqual(await names(), [{ name: 'default' }])
})

test('stored values that cannot be given to the copy remove it again [INS-073]', async () => {
  const { world, defaultId } = await startWithFile()
  await using _world = world
  const { db } = world.fleet.store
  const call = world.call()
  const input = { instance: defaultId, key: 'KEY', value: 'v' }
  await world.domains.environment.handlers['env:update']({ call, input })
  await db.updateTable('environment_values').set({ value: 'v1.broken' }).execute()
  const { code, status, details } = await refusalOf(world.create({ source_instance_id: defaultId }))
  assert.deepEqual([code, status, details['step']], ['instance.copy_failed', 409, 'environment'])
  assert.deepEqual(await db.selectFrom('instances').select('name').execute(), [{ name: 'default' }])
  assert.ok(!existsSync(join(world.fleet.apps, 'app', 'feature')))
})

test('a gateway that dies while a copy gets its databases leaves what the identical request finishes [INS-072]', async () => {
  const { world, file, attach, defaultId } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const { db } = world.fleet.store
  const copy = { source_instance_id: defaultId }
  /** A copy of which only its databases and values are missing. */
  const waiting = async (name: string): Promise<void> => {
    const { id } = await world.create({ name, ...copy })
    await db.deleteFrom('database_connections').where('owner_instance_id', '=', id).execute()
    await db.deleteFrom('database_attachments').where('instance_id', '=', id).execute()
    await db.deleteFrom('environment_values').where('instance_id', '=', id).execute()
    await db.updateTable('instances').set({ database_pending: 'copy' }).where('id', '=', id).execute()
  }
  await waiting('counted')
  const { mortal, domains } = world.mortal()
  await world.create({ name: 'counted', ...copy }, world.call(), domains)
  const moments = momentsOf(mortal)
  assert.ok(moments.length > 5, `${moments.length}`)
  for (const [index, moment] of moments.entries()) {
    // Every seed has its own share; together they try all.
    if (index % SHARES !== testSeed() % SHARES) continue
    const [name, at] = [`n${index}`, JSON.stringify(moment)]
    await waiting(name)
    await assert.rejects(
      world.create({ name, ...copy }, world.call(), world.mortal(moment).domains),
      Died,
      at,
    )
    await db.deleteFrom('locks').execute()
    const { id } = await world.create({ name, ...copy })
    assert.equal((await findConnection(db, `app-${name}`))?.path, file(name), at)
    assert.deepEqual(await attachmentsOf(world, id), [{ prefix: 'DB', slug: `app-${name}` }], at)
    assert.ok(world.envFile(name)?.includes(`DB_DATABASE="${file(name)}"\n`), at)
    await world.fleet.destroy(id, true, world.domains.instances)
  }
})

test('stored values that name the domain of the source name that of the copy [INS-072]', async () => {
  const { world, defaultId } = await startWithFile()
  await using _world = world
  const { store } = world.fleet
  const input = {
    instance: defaultId,
    key: 'PUBLIC_URL',
    value: 'https://shop.example/a https://b.shop.example',
  }
  await world.domains.environment.handlers['env:update']({ call: world.call(), input })
  const { id } = await world.create({ source_instance_id: defaultId })
  const row = await store.db
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(row.copy)
  await addRoute(store, row, { domain: 'feature.example', provenance: 'generated' })
  const copy = { ...row.copy, source: { ...row.copy.source, domain: 'shop.example' } }
  const { db } = store
  await db.updateTable('instances').set({ copy, database_pending: 'copy' }).where('id', '=', id).execute()
  await world.create({ source_instance_id: defaultId })
  assert.match(
    world.envFile('feature') ?? '',
    /^PUBLIC_URL="https:\/\/feature\.example\/a https:\/\/b\.shop\.example"$/m,
  )
})

test('a copy whose databases were attached before its gateway died keeps them, and a name that somebody took meanwhile is refused [INS-072, INS-073]', async () => {
  const { world, file, attach, defaultId } = await startWithFile()
  await using _world = world
  await attach(file('default'))
  const { db } = world.fleet.store
  const create = () => world.create({ source_instance_id: defaultId })
  const { id } = await create()
  const again = () =>
    db.updateTable('instances').set({ database_pending: 'copy' }).where('id', '=', id).execute()
  const own = await findConnection(db, 'app-feature')
  await again()
  assert.equal((await create()).id, id)
  assert.deepEqual(await findConnection(db, 'app-feature'), own)
  assert.deepEqual(await attachmentsOf(world, id), [{ prefix: 'DB', slug: 'app-feature' }])

  await db.deleteFrom('database_attachments').where('instance_id', '=', id).execute()
  await db.deleteFrom('database_connections').where('owner_instance_id', '=', id).execute()
  const input = { slug: 'app-feature', driver: 'sqlite' as const, path: file('feature') }
  const { data } = await world.domains.databases.handlers['database:create']({ call: world.call(), input })
  await again()
  const { code, details } = await refusalOf(create())
  assert.deepEqual([code, details['reason']], ['instance.copy_failed', 'database.slug_conflict'])
  assert.deepEqual(details['database_connection'], { id: data.id, slug: 'app-feature' })
  const kept = await findConnection(db, 'app-feature')
  assert.deepEqual([kept?.id, kept?.owner_instance_id], [data.id, null])
  assert.deepEqual(await attachmentsOf(world, id), [])
})

/** Copies that have their checkouts, but not the databases and values of their source. */
async function withUnfinished(...names: readonly string[]) {
  const world = await startCreationWorld()
  await world.createServer()
  const { id: source } = await world.create({ name: 'default', database_server: 'main' })
  const create = (name: string) => world.create({ name, source_instance_id: source })
  const ids: number[] = []
  for (const name of names) ids.push((await create(name)).id)
  const { db } = world.fleet.store
  await db.deleteFrom('database_attachments').where('instance_id', 'in', ids).execute()
  await db.updateTable('instances').set({ database_pending: 'copy' }).where('id', 'in', ids).execute()
  return { world, source, create, ids }
}

test('the source of a copy that is not finished stays, whatever is forced, until the identical request has finished the copy', async () => {
  const { world, source, create, ids } = await withUnfinished('feature')
  await using _world = world
  const [id] = ids
  assert.ok(id !== undefined)
  const destroy = (instance: number) => world.fleet.destroy(instance, true, world.domains.instances)
  const { code, details, message } = await refusalOf(destroy(source))
  const clones = { clones: ['feature'], instances: [{ id, name: 'feature' }] }
  assert.deepEqual([code, details], ['instance.clone_in_progress', clones])
  assert.ok(message.endsWith(`give it up first: \`fleet instance:destroy ${id} --force\`.`))
  await create('feature')
  assert.deepEqual(await attachmentsOf(world, id), [{ prefix: 'DB', slug: 'app-default' }])
  assert.equal((await refusalOf(destroy(source))).code, 'database.connection_attached')
  await destroy(id)
  await destroy(source)
  assert.deepEqual(world.onServer(), [])
})

test('a copy whose source is gone or leaves is not reported as finished, and uses no database that goes with it [INS-072]', async () => {
  const { world, source, create } = await withUnfinished('first', 'second')
  await using _world = world
  const { db } = world.fleet.store
  const reasonOf = async (name: string) => {
    const { code, details } = await refusalOf(create(name))
    return [code, details['reason'], details['source_instance']]
  }
  const named = { id: source, name: 'default' }
  const code = 'instance.copy_failed'
  await db.updateTable('instances').set({ status: 'removing' }).where('id', '=', source).execute()
  assert.deepEqual(await reasonOf('first'), [code, 'instance.copy_source_inactive', named])
  await db.deleteFrom('database_connections').where('owner_instance_id', '=', source).execute()
  await db.deleteFrom('instances').where('id', '=', source).execute()
  assert.deepEqual(await reasonOf('second'), [code, 'instance.copy_source_missing', named])
  assert.deepEqual(await db.selectFrom('database_attachments').select('slug').execute(), [])
})

test('a copy does not share a database that leaves with the Instance that owns it, and the identical request finishes it once that is over', async () => {
  const { world, source, create, ids } = await withUnfinished('feature')
  await using fleet = world.fleet
  const { db } = fleet.store
  const { id: owner } = await addInstance(fleet.store, {
    project_id: fleet.project.id,
    node_id: fleet.node.id,
    name: 'owner',
    status: 'removing',
  })
  const owned = (owner_instance_id: number) =>
    db.updateTable('database_connections').set({ owner_instance_id }).execute()
  await owned(owner)
  const { code, details } = await refusalOf(create('feature'))
  const finish = `fleet instance:destroy ${owner}`
  const leaving = { slug: 'app-default', instance_id: owner, finish }
  assert.deepEqual([code, details], ['database.operation_busy', leaving])
  await owned(source)
  assert.equal((await create('feature')).id, ids[0])
  assert.deepEqual(await attachmentsOf(world, ids[0] ?? 0), [{ prefix: 'DB', slug: 'app-default' }])
})
