import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import type { Database, DialectName } from '@fleet/store'
import { addInstance, addNode, addProject, forEachDialect, testDomains } from '@fleet/testing'
import { attachmentsOf } from '#/databases/attachments/queries.ts'
import { create, PASSWORD, REGISTRATIONS, startWorld } from '#/databases/world.test.ts'

/** The world of connections with one Instance on a Node of its own. */
async function start(dialect?: DialectName) {
  const world = await startWorld(dialect)
  const { store } = world
  const node = await addNode(store, { roles: ['app-dev'] })
  const project = await addProject(store)
  const profile = { application_directory: '', framework: null, php: false }
  const instance = await addInstance(store, { project_id: project.id, node_id: node.id, profile })
  const { environment } = testDomains({ store })
  const { handlers } = world.databases
  return {
    ...world,
    node,
    instance,
    environment,
    update: (key: string, value: string) =>
      environment.handlers['env:update']({
        call: world.call(),
        input: { instance: instance.id, key, value },
      }),
    values: async () => Object.fromEntries(await environment.stored(instance.id)),
    add: async (slug: string, prefix = 'DB', call = world.call()) =>
      (await handlers['instance:database:add']({ call, input: { instance: instance.id, slug, prefix } }))
        .data,
    remove: async (slug: string, prefix?: string) => {
      const input: InputOf<'instance:database:remove'> = { instance: instance.id, slug, prefix }
      return (await handlers['instance:database:remove']({ call: world.call(), input })).data
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

forEachDialect(
  'attaching stores the keys of the driver as the record has them, and answers names and the address alone [DB-079, DB-081, DB-082, DB-088, DB-093, DBS-021, DBS-023, ENV-074]',
  async (dialect) => {
    await using world = await start(dialect)
    await create(world, REGISTRATIONS.mysql)
    const answer = await world.add('my')
    const keys = ['DB_CONNECTION', 'DB_HOST', 'DB_PORT', 'DB_DATABASE', 'DB_USERNAME', 'DB_PASSWORD']
    assert.deepEqual(answer, {
      instance_id: world.instance.id,
      slug: 'my',
      prefix: 'DB',
      keys,
      host: 'a.internal',
      port: 3306,
      operation: 'add',
      changed: true,
      key_count: 6,
    })
    assert.deepEqual(await world.values(), {
      DB_CONNECTION: 'mysql',
      DB_HOST: 'a.internal',
      DB_PORT: '3306',
      DB_DATABASE: 'shop',
      DB_USERNAME: 'reader',
      DB_PASSWORD: PASSWORD,
    })
    assert.equal((await world.add('my')).changed, false)
    assert.deepEqual(await world.remove('my'), { ...answer, operation: 'remove', key_count: 0 })
    assert.deepEqual([await world.values(), await attachmentsOf(world.store.db, world.instance.id)], [{}, []])
  },
)

test('a driver without a key removes what the prefix had of it, and a second connection replaces the first [DB-089, DB-090, DB-091, DB-092]', async () => {
  await using world = await start()
  await create(world, REGISTRATIONS.mysql)
  await create(world, REGISTRATIONS.sqlite)
  await create(world, REGISTRATIONS.redis)
  await create(world, { ...REGISTRATIONS.redis, slug: 'full', database: '3', username: 'u', password: 'p' })
  await world.add('my')
  const lite = await world.add('lite')
  assert.deepEqual(lite.replaced, {
    connection: 'my',
    keys: ['DB_CONNECTION', 'DB_DATABASE', 'DB_HOST', 'DB_PORT', 'DB_USERNAME', 'DB_PASSWORD'],
  })
  assert.deepEqual(await world.values(), {
    DB_CONNECTION: 'sqlite',
    DB_DATABASE: '/srv/shop/database.sqlite',
  })
  assert.deepEqual([lite.keys, lite.host, lite.port], [['DB_CONNECTION', 'DB_DATABASE'], null, null])
  const [only, ...others] = await attachmentsOf(world.store.db, world.instance.id)
  assert.deepEqual([only?.slug, others], ['lite', []])
  await assert.rejects(world.remove('my'), { code: 'database.attachment_missing' })
  await world.add('cache', 'REDIS')
  assert.deepEqual(
    Object.keys(await world.values()).filter((key) => key.startsWith('REDIS')),
    ['REDIS_CONNECTION', 'REDIS_HOST', 'REDIS_PORT'],
  )
  await world.add('full', 'REDIS')
  assert.equal((await world.values())['REDIS_DATABASE'], '3')
  assert.equal((await world.values())['REDIS_PASSWORD'], 'p')
})

test('detaching leaves other keys of the prefix, and needs a name where there are several [DB-083, DB-084, DB-085]', async () => {
  await using world = await start()
  await create(world, REGISTRATIONS.pgsql)
  await world.update('DB_FOREIGN_KEYS', 'on')
  await world.add('pg', 'ONE')
  await world.add('pg', 'TWO')
  await assert.rejects(world.remove('pg'), { code: 'validation.failed' })
  await world.add('pg')
  await assert.rejects(world.remove('pg'), { code: 'validation.failed' }, 'a repeat would remove another one')
  await world.remove('pg', 'DB')
  await world.remove('pg', 'ONE')
  await assert.rejects(world.remove('pg', 'ONE'), { code: 'database.attachment_missing' })
  assert.equal((await world.remove('pg')).prefix, 'TWO')
  assert.deepEqual(await world.values(), { DB_FOREIGN_KEYS: 'on' })
})

test('a connection that an Instance uses is not removed, and its change changes no stored key [DB-042, DB-095]', async () => {
  await using world = await start()
  await create(world, REGISTRATIONS.pgsql)
  await world.add('pg')
  const { handlers } = world.databases
  const refused = handlers['database:destroy']({ call: world.call(), input: { slug: 'pg' } })
  await assert.rejects(refused, {
    code: 'database.connection_attached',
    details: { instances: [{ instance_id: world.instance.id, prefix: 'DB' }], processes: [], count: 1 },
  })
  await handlers['database:update']({
    call: world.call(),
    input: { slug: 'pg', host: 'b.internal', password: 'moved' },
  })
  assert.equal((await world.values())['DB_HOST'], '10.0.0.9')
  await world.remove('pg')
  await handlers['database:destroy']({ call: world.call(), input: { slug: 'pg' } })
})

test('a value that reads like a placeholder is refused, and nothing of the attachment is stored', async () => {
  await using world = await start()
  await create(world, { ...REGISTRATIONS.pgsql, password: 'a{{instance.domain}}b' })
  await assert.rejects(world.add('pg'), (error: Error & { code: string; details: object }) => {
    assert.deepEqual(
      [error.code, error.details],
      [
        'env.configuration_invalid',
        { rule: 'placeholder_unknown', key: 'DB_PASSWORD', placeholder: '{{…}}' },
      ],
    )
    return true
  })
  assert.deepEqual([await world.values(), await attachmentsOf(world.store.db, world.instance.id)], [{}, []])
})

test('an Instance that is not active, and an unknown connection, are refused [DB-050]', async () => {
  await using world = await start()
  await assert.rejects(world.add('none'), { code: 'database.not_found' })
  await create(world, REGISTRATIONS.pgsql)
  await world.store.db.updateTable('instances').set({ status: 'reserved' }).execute()
  await assert.rejects(world.add('pg'), { code: 'env.owner_unavailable' })
})

test('no Activity, event or answer of an attachment has the password [DB-002, DB-082]', async () => {
  await using world = await start()
  await create(world, REGISTRATIONS.pgsql)
  const call = world.call()
  const answer = await world.add('pg', 'DB', call)
  assert.deepEqual(call.notes.properties, { connection: 'pg', changed: true })
  assert.ok(!JSON.stringify([answer, call.notes, call.events]).includes(PASSWORD))
})

forEachDialect(
  'who attaches a database waits for the transaction that records the removal of its owner, and is refused or seen by it',
  async (dialect) => {
    await using world = await start(dialect)
    const { store, databases } = world
    await create(world, REGISTRATIONS.pgsql)
    const { project_id, node_id } = world.instance
    const { id } = await addInstance(store, { project_id, node_id, name: 'owner' })
    await store.db.updateTable('database_connections').set({ owner_instance_id: id }).execute()
    const hold = (tx: Database) => databases.forRemovals.holdUnused(tx, id, [id])
    await world.add('pg')
    const instances = [{ instance_id: world.instance.id, prefix: 'DB' }]
    await assert.rejects(store.transaction(hold), {
      code: 'database.connection_attached',
      message: `The database pg is removed with its Instance, and the Instances and Processes of the details use it. Detach it from each and destroy each first: \`fleet instance:database:remove ${world.instance.id} pg --prefix DB\`.`,
      details: { slug: 'pg', instances, processes: [], count: 1 },
    })
    await world.remove('pg')
    const held = Promise.withResolvers<void>()
    const removal = store.transaction(async (tx) => {
      await hold(tx)
      held.resolve()
      // The other connection has its time to overtake.
      for (let asked = 0; asked < 300; asked += 1) await tx.selectFrom('nodes').select('id').execute()
      const leaving = { status: 'removing', removal_force: 1 } as const
      await tx.updateTable('instances').set(leaving).where('id', '=', id).execute()
    })
    await held.promise
    await assert.rejects(world.add('pg'), {
      code: 'database.operation_busy',
      message: `The database pg is being removed with the Instance owner. Finish that first: \`fleet instance:destroy ${id} --force\`.`,
    })
    await removal
    assert.deepEqual(await attachmentsOf(store.db, world.instance.id), [])
  },
)
