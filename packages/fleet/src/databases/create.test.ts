import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseConnection, type InputOf } from '@fleet/contract'
import { addNode, forEachDialect } from '@fleet/testing'
import { create, PASSWORD, REGISTRATIONS, show, startWorld, type World } from '#/databases/world.test.ts'

type Input = InputOf<'database:create'>

const NOTHING = {
  node_id: null,
  host: null,
  port: null,
  database: null,
  path: null,
  username: null,
  has_password: false,
  server: null,
  owner_instance_id: null,
  test_database: null,
}

const refusedMembers = async (world: World, input: Input): Promise<readonly string[]> => {
  try {
    await create(world, input)
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && 'details' in error)
    assert.equal(error.code, 'validation.failed')
    return Object.keys(errorsOf(error.details)).toSorted()
  }
  return []
}

const errorsOf = (details: unknown): object => (details as { errors: object }).errors // The details of validation.failed have them.

const without = (input: object, member: string): Input =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== member)) as Input // A test of what is missing.

forEachDialect(
  'each driver takes its fields and has its port; what is left out is null [DB-001, DB-003, DB-005, DB-035, DBS-002, DBS-003]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    for (const [input, expected] of [
      [
        REGISTRATIONS.mysql,
        { host: 'a.internal', port: 3306, database: 'shop', username: 'reader', has_password: true },
      ],
      [
        REGISTRATIONS.pgsql,
        { host: '10.0.0.9', port: 5432, database: 'shop', username: 'reader', has_password: true },
      ],
      [REGISTRATIONS.sqlite, { path: '/srv/shop/database.sqlite' }],
      [REGISTRATIONS.redis, { host: '::1', port: 6379 }],
    ] as const) {
      const { data, created } = await create(world, input)
      assert.equal(created, true)
      const { slug, driver } = input
      assert.deepEqual(data, { ...NOTHING, id: data.id, slug, driver, ...expected })
      assert.deepEqual(databaseConnection.parse(data), data)
      assert.deepEqual(await show(world, slug), { ...data, users_count: 0 })
    }
  },
)

test('a missing required field is refused by its name [DB-019, DB-020, DB-021, DB-022]', async () => {
  await using world = await startWorld()
  for (const [driver, required] of [
    ['mysql', ['host', 'database', 'username', 'password']],
    ['pgsql', ['host', 'database', 'username', 'password']],
    ['sqlite', ['path']],
    ['redis', ['host']],
  ] as const)
    for (const member of required)
      assert.deepEqual(await refusedMembers(world, without(REGISTRATIONS[driver], member)), [member])
  assert.deepEqual(await refusedMembers(world, { slug: 'none' }), ['driver'])
})

test('optional fields of a driver are stored, and those of another are refused [DB-019, DB-020, DB-021, DB-022, DB-023]', async () => {
  await using world = await startWorld()
  const { id: node_id } = await addNode(world.store)
  const login = { username: 'reader', password: PASSWORD }
  for (const [input, stored] of [
    [
      { ...REGISTRATIONS.mysql, node_id, port: 1 },
      { node_id, port: 1 },
    ],
    [
      { ...REGISTRATIONS.pgsql, node_id, port: 65_535 },
      { node_id, port: 65_535 },
    ],
    [
      { ...REGISTRATIONS.sqlite, node_id, ...login },
      { node_id, port: null, username: 'reader', has_password: true },
    ],
    [
      { ...REGISTRATIONS.redis, node_id, port: 7, database: '15', ...login },
      { node_id, port: 7, database: '15', username: 'reader', has_password: true },
    ],
  ] as const) {
    const { data } = await create(world, input)
    assert.deepEqual({ ...data, ...stored }, data)
  }
  const more = { host: 'h', port: 5, database: '1', path: '/p' }
  for (const [driver, refused] of [
    ['mysql', ['path']],
    ['pgsql', ['path']],
    ['sqlite', ['database', 'host', 'port']],
    ['redis', ['path']],
  ] as const)
    assert.deepEqual(
      await refusedMembers(world, { ...more, ...REGISTRATIONS[driver], slug: `x-${driver}` }),
      refused,
    )
})

test('the database of redis is a number of one to three digits [DB-011, DBS-004]', async () => {
  await using world = await startWorld()
  for (const database of ['abc', '1000', '-1', '1.5', ' 1'])
    assert.deepEqual(await refusedMembers(world, { ...REGISTRATIONS.redis, database }), ['database'])
  for (const driver of ['pgsql', 'mysql'] as const)
    assert.deepEqual(await refusedMembers(world, { ...REGISTRATIONS[driver], database: 5 }), ['database'])
  const { data } = await create(world, { ...REGISTRATIONS.redis, database: 16 })
  assert.equal(data.database, '16')
})

forEachDialect('a used slug is refused, also for the same values [DB-004, DB-049]', async (dialect) => {
  await using world = await startWorld(dialect)
  const { data } = await create(world, REGISTRATIONS.redis)
  const conflict = {
    code: 'database.slug_conflict',
    status: 409,
    details: { database_connection: { id: data.id, slug: 'cache' } },
  }
  for (const input of [REGISTRATIONS.redis, { ...REGISTRATIONS.sqlite, slug: 'cache' }])
    await assert.rejects(create(world, input), conflict)
  assert.deepEqual(await show(world, 'cache'), { ...data, users_count: 0 })
  const racing = await Promise.allSettled(
    Array.from({ length: 8 }, () => create(world, { ...REGISTRATIONS.redis, slug: 'raced' })),
  )
  assert.equal(racing.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('any Node may be named, and an unknown one is refused [DB-006]', async () => {
  await using world = await startWorld()
  const bare = await addNode(world.store, { roles: [] })
  const { data } = await create(world, { ...REGISTRATIONS.sqlite, node_id: bare.id })
  assert.equal(data.node_id, bare.id)
  const unknown = create(world, { ...REGISTRATIONS.redis, node_id: 9999 })
  await assert.rejects(unknown, { code: 'node.not_found', status: 404 })
})

test('a file needs no Node to be registered [DB-007]', async () => {
  await using world = await startWorld()
  assert.equal((await create(world, REGISTRATIONS.sqlite)).data.node_id, null)
})

test('a server takes no field of a registration, an Instance needs a server, and no server has any slug [DB-037, DB-038]', async () => {
  await using world = await startWorld()
  const { slug, ...fields } = { ...REGISTRATIONS.pgsql, node_id: 1, port: 5, path: '/p' }
  for (const [member, value] of Object.entries(fields))
    assert.deepEqual(await refusedMembers(world, { slug, server: 'main', [member]: value }), [member])
  assert.deepEqual(await refusedMembers(world, { ...REGISTRATIONS.redis, instance_id: 1 }), ['instance_id'])
  for (const more of [{}, { instance_id: 1 }])
    await assert.rejects(create(world, { slug, server: 'main', ...more }), {
      code: 'database.server_missing',
      status: 404,
    })
})

forEachDialect(
  'the password is stored encrypted, and no answer, event or Activity has it [DB-002, DB-014, EV-043]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const call = world.call()
    const { data } = await create(world, REGISTRATIONS.pgsql, call)
    assert.deepEqual(call.events, [{ type: 'database.created', data }])
    const row = await world.store.db.selectFrom('database_connections').selectAll().executeTakeFirstOrThrow()
    assert.match(row.password ?? '', /^v1:/)
    const list = await world.databases.handlers['database:list']({ call, input: {} })
    for (const shown of [row, data, list, await show(world, 'pg'), call.events, call.notes])
      assert.ok(!JSON.stringify(shown).includes(PASSWORD))
    assert.equal(data.has_password, true)
  },
)
