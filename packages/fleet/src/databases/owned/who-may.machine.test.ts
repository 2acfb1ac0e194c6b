import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, asCaller, fakeCall } from '@fleet/testing'
import { findConnection } from '#/databases/queries.ts'
import { startServerWorld } from '#/databases/servers/world.test.ts'

test('a database for an Instance needs a grant on the Node of the Instance, beside that on the gateway [ACC-012, ACC-013]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const { id: instance_id } = await world.addInstance('feature')
  const other = await addNode(world.deps.store, { name: 'other-1' })
  const create = (input: object) =>
    world.databases.handlers['database:create']({
      call: fakeCall({ caller: asCaller(other) }),
      input: { slug: 'shop', server: 'main', ...input },
    })
  await assert.rejects(create({ instance_id }), {
    code: 'node_access.required',
    details: {
      consumer_node: { id: other.id, name: other.name },
      serving_node: { id: world.node.id, name: world.node.name },
    },
  })
  assert.deepEqual([world.onServer(), await findConnection(world.deps.store.db, 'shop')], [[], undefined])
  assert.equal((await create({})).created, true)
})

test('a user of a database that is being made or removed waits for that, and one on a server that is being removed is told so', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  const { db } = world.deps.store
  const add = () =>
    world.databases.handlers['database:user:create']({
      call: world.call(),
      input: { slug: 'shop', username: 'reader', password: 'canary-user' },
    })
  for (const pending_step of ['create', 'removal 1']) {
    await db.updateTable('database_connections').set({ pending_step }).execute()
    await assert.rejects(add(), { code: 'database.operation_busy' }, pending_step)
  }
  await db.updateTable('database_connections').set({ pending_step: null }).execute()
  await db.updateTable('database_servers').set({ status: 'removing' }).execute()
  const removing = { code: 'database.server_inactive', message: /database:server:destroy SLUG/ }
  await assert.rejects(add(), removing)
  await assert.rejects(world.create('more'), removing)
})

test('with a login of PostgreSQL goes what it created, but for the databases of other records [DB-031, DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer({ tag: 'postgres:17' })
  await world.create('shop')
  await world.create('two', await world.addInstance('feature'))
  await world.destroy('shop')
  const [dropped, ...more] = world
    .log()
    .split('\n')
    .filter((line) =>
      line.includes("DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE pg_get_userbyid"),
    )
  assert.match(
    dropped ?? '',
    /WHERE pg_get_userbyid\(datdba\) = 'shop' AND NOT \(\(datname = 'two' OR datname LIKE 'two\\_test%'\)\) \\gexec$/,
  )
  assert.deepEqual(more, [])
})

test('a user who is dropped with another database is not created while that is removed, and the advised command ends that; one who was created first stays [DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  for (const slug of ['alpha', 'beta', 'gamma']) await world.create(slug)
  const add = (slug: string) =>
    world.databases.handlers['database:user:create']({
      call: world.call(),
      input: { slug, username: 'reader', password: 'canary-user', read_only: true },
    })
  await add('alpha')
  const attempts: Promise<unknown>[] = []
  const drop = (): void => {
    attempts.push(
      assert.rejects(add('beta'), {
        code: 'database.operation_busy',
        message:
          /reader is dropped with the database alpha, .* `fleet database:destroy alpha` finishes it\.$/,
        details: { slug: 'alpha', username: 'reader' },
      }),
    )
  }
  // Between what the removal has looked at and what it does on the server.
  Object.assign(world.deps.engines.access, { drop })
  await world.destroy('alpha')
  await Promise.all(attempts)
  assert.ok(!world.onServer().includes('user.reader'))
  Object.assign(world.deps.engines.access, { drop: () => undefined })
  await add('beta')
  await add('gamma')
  await world.destroy('gamma')
  assert.ok(world.onServer().includes('user.reader'))
})
