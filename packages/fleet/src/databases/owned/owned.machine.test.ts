import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProject, forEachDialect } from '@fleet/testing'
import { residuesOf } from '#/databases/owned/queries.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { openPassword } from '#/databases/password.ts'
import { findConnection, insertConnection } from '#/databases/queries.ts'
import { startServerWorld } from '#/databases/servers/world.test.ts'

forEachDialect(
  'a database of an Instance has a user, a test database and a place in its configuration, and goes with the Instance [DB-013, DB-015, DB-016, DB-017, DB-024, DB-025, DB-028, DB-031, DB-036, DB-094, DBS-045, DBS-046]',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    await world.createServer()
    const instance = await world.addInstance('feature-1')
    const data = await world.create('shop-feature', instance)
    const record = await findConnection(world.deps.store.db, 'shop-feature')
    assert.ok(record)
    assert.deepEqual(data, {
      id: record.id,
      slug: 'shop-feature',
      driver: 'mysql',
      node_id: world.node.id,
      host: world.node.wireguard_ip,
      port: 3306,
      database: 'shop_feature',
      path: null,
      username: 'shop_feature_1',
      has_password: true,
      server: 'main',
      owner_instance_id: instance.id,
      test_database: 'shop_feature_test',
    })
    assert.deepEqual(world.onServer(), ['db.shop_feature', 'db.shop_feature_test', 'user.shop_feature_1'])
    assert.deepEqual(world.grantsOf('shop_feature_1').trim().split('\n'), [
      "GRANT ALL PRIVILEGES ON `shop\\_feature`.* TO 'shop_feature_1'@'%';",
      "GRANT ALL PRIVILEGES ON `shop\\_feature\\_test%`.* TO 'shop_feature_1'@'%';",
    ])
    const password = openPassword(world.deps.store.cipher, record)?.reveal() ?? ''
    assert.equal((await world.environment.stored(instance.id)).get('DB_PASSWORD'), password)
    assert.ok(!world.log().includes(password), 'statements have it in hex alone')
    // Made by a parallel test run.
    world.put('db.shop_feature_test_test_7')
    world.put('db.shop_other')
    const call = world.call()
    await world.databases.forInstances.remove(call, instance.id)
    assert.deepEqual(world.onServer(), ['db.shop_other'])
    assert.equal(await findConnection(world.deps.store.db, 'shop-feature'), undefined)
    assert.deepEqual(call.events, [
      { type: 'database.deleted', data: { id: record.id, slug: 'shop-feature' } },
    ])
  },
)

forEachDialect(
  'of two identical requests at once for a database one creates it [GW-021, DB-075]',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    await world.createServer()
    const ends = await Promise.allSettled([world.create('shop'), world.create('shop')])
    const codes = ends.flatMap((end) => (end.status === 'rejected' ? [Object(end.reason).code] : []))
    assert.deepEqual(codes, ['database.slug_conflict'])
    assert.deepEqual(world.onServer(), ['db.shop', 'user.shop'])
  },
)

test('an Instance has one user on a server, with one password, which goes with its last database [DBS-043, DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const instance = await world.addInstance('feature')
  await world.create('one', instance)
  await world.create('two', instance)
  const { db, cipher } = world.deps.store
  const opened = async (slug: string): Promise<string | undefined> => {
    const record = await findConnection(db, slug)
    return record && `${record.username} ${openPassword(cipher, record)?.reveal()}`
  }
  assert.equal(await opened('one'), await opened('two'))
  await db.deleteFrom('database_attachments').execute()
  await world.destroy('one')
  assert.deepEqual(world.onServer(), ['db.two', 'db.two_test', 'user.shop_feature'])
  await world.destroy('two')
  assert.deepEqual(world.onServer(), [])
})

test('a user who stays reaches neither a database that was dropped nor the next one of its name [DBS-045]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const [first, second] = [await world.addInstance('one'), await world.addInstance('two')]
  await world.create('reports', first)
  await world.create('other', first)
  const { handlers } = world.databases
  for (const slug of ['reports', 'other'])
    await handlers['database:user:create']({
      call: world.call(),
      input: { slug, username: 'reader', password: 'canary-user' },
    })
  await world.deps.store.db.deleteFrom('database_attachments').execute()
  await world.destroy('reports')
  const reached = (user: string): readonly string[] =>
    [...world.grantsOf(user).matchAll(/ON `(.*?)`/g)].map(([, name = '']) => name)
  assert.deepEqual([reached('shop_one'), reached('reader')], [['other', String.raw`other\_test%`], ['other']])
  // Left by an earlier version, or by somebody who dropped a database by hand.
  world.put('user.stranger', "GRANT ALL PRIVILEGES ON `reports`.* TO 'stranger'@'%';\n")
  await world.create('reports', second)
  assert.deepEqual(
    [reached('shop_two'), reached('stranger'), reached('shop_one')],
    [['reports', String.raw`reports\_test%`], [], ['other', String.raw`other\_test%`]],
  )
})

test('names that the server or another record has are refused, and nothing of the attempt stays [DB-075, DBS-047, DBS-048]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const instance = await world.addInstance('feature')
  const conflict = { code: 'database.name_conflict' }
  for (const [taken, slug, owner] of [
    ['db.shop', 'shop', undefined],
    ['user.shop', 'shop', undefined],
    ['db.shop_test3', 'shop', instance],
  ] as const) {
    world.put(taken)
    await assert.rejects(world.create(slug, owner), conflict, taken)
    assert.equal(await findConnection(world.deps.store.db, slug), undefined)
    assert.deepEqual(world.onServer(), [taken])
    world.drop(taken)
  }
  await world.create('shop', instance)
  // The user of the Instance may reach every database that begins so.
  await assert.rejects(world.create('shop-test-2'), conflict)
  await world.create('blog-test')
  await assert.rejects(world.create('blog', instance), conflict)
})

test('a login that another Instance, another database or a user has on the server is taken over by nobody [DBS-043, DBS-044, DBS-045]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const { store } = world.deps
  const { id: project } = await addProject(store, { slug: 'shop-api' })
  // Both would log in as `shop_api_x`.
  const [first, second] = [await world.addInstance('api-x'), await world.addInstance('x', project)]
  await world.create('one', first)
  const before = world.log()
  const conflict = (database_connection: object) => ({
    code: 'database.name_conflict',
    details: { username: 'shop_api_x', database_connection },
  })
  const one = await findConnection(store.db, 'one')
  assert.ok(one)
  for (const [slug, owner] of [
    ['two', second],
    ['shop-api-x', undefined],
  ] as const)
    await assert.rejects(world.create(slug, owner), conflict({ id: one.id, slug: 'one' }), slug)
  assert.equal(world.log(), before, 'its password stays what it is')
  await world.create('blog')
  await world.databases.handlers['database:user:create']({
    call: world.call(),
    input: { slug: 'blog', username: 'shop', password: 'canary-user' },
  })
  const { id } = (await findConnection(store.db, 'blog')) ?? {}
  await assert.rejects(world.create('shop'), {
    code: 'database.name_conflict',
    details: { username: 'shop', database_connection: { id, slug: 'blog' } },
  })
  assert.equal(await findConnection(store.db, 'shop'), undefined)
  await world.create('three', first)
})

test('a login that PostgreSQL keeps for itself is refused before anything is sent to the server [DBS-017, DBS-047]', async () => {
  await using world = await startServerWorld()
  await world.createServer({ tag: 'postgres:17' })
  await world.create('shop')
  const before = world.log()
  for (const slug of ['pg-stat', 'public', 'none'])
    await assert.rejects(world.create(slug), {
      code: 'database.name_conflict',
      details: { username: slug.replace('-', '_') },
    })
  for (const username of ['pg_stat', 'PUBLIC'])
    await assert.rejects(
      world.databases.handlers['database:user:create']({
        call: world.call(),
        input: { slug: 'shop', username, password: 'canary-user' },
      }),
      { code: 'database.name_conflict', details: { username } },
    )
  assert.equal(world.log(), before)
  const instance = await world.addInstance('x', (await addProject(world.deps.store, { slug: 'pg' })).id)
  await assert.rejects(world.create('pg-x', instance), { code: 'database.name_conflict' })
})

test('an Instance that could not take the keys is refused before anything is made on the server [DBS-048]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const instance = await world.addInstance('feature')
  await world.deps.store.db.updateTable('instances').set({ profile: null }).execute()
  await assert.rejects(world.create('shop', instance), { code: 'instance.source_profile_missing' })
  assert.deepEqual(world.onServer(), [])
  assert.equal(await findConnection(world.deps.store.db, 'shop'), undefined)
})

test('a server that fails at a statement leaves no record and no database, and says nothing of what it said [DB-076, DBS-035, DBS-040, DBS-048]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  world.breakOn('GRANT')
  await assert.rejects(world.create('shop'), (error: Error & { code: string; details: object }) => {
    assert.deepEqual(
      [error.code, error.details],
      [
        'database.server_command_failed',
        { node: { id: world.node.id, name: world.node.name }, reason: 'failed', step: 'create' },
      ],
    )
    return true
  })
  assert.deepEqual([world.onServer(), await findConnection(world.deps.store.db, 'shop')], [[], undefined])
  world.breakOn()
  await world.create('shop')
  world.breakOn('DROP DATABASE')
  await assert.rejects(world.destroy('shop'), { code: 'database.server_command_failed' })
  assert.ok(await findConnection(world.deps.store.db, 'shop'), 'a failed drop keeps the record')
  world.breakOn()
  await world.destroy('shop')
  assert.deepEqual(world.onServer(), [])
})

test('members of a registration, an owner without a server and a change of what the server has are refused [DB-037, DB-038]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const { handlers } = world.databases
  const given = {
    driver: 'mysql',
    node_id: 1,
    host: 'h',
    port: 1,
    database: 'd',
    username: 'u',
    password: 'p',
    path: '/p',
  } as const
  for (const [member, value] of Object.entries(given)) {
    const input = { slug: 'shop', server: 'main', [member]: value }
    await assert.rejects(
      handlers['database:create']({ call: world.call(), input }),
      { code: 'validation.failed' },
      member,
    )
  }
  const owned = { slug: 'shop', driver: 'sqlite', path: '/p', instance_id: 1 } as const
  await assert.rejects(handlers['database:create']({ call: world.call(), input: owned }), {
    code: 'validation.failed',
  })
  await world.create('shop')
  await assert.rejects(
    handlers['database:update']({ call: world.call(), input: { slug: 'shop', host: 'elsewhere' } }),
    { code: 'validation.failed' },
  )
})

test('a user is created once, replaced by the same request, and refused where a connection logs in with the name [DB-043, DB-044, DBS-016, DBS-017, DBS-018, DBS-020, GW-021]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  const { handlers } = world.databases
  const add = (username: string, read_only?: boolean) =>
    handlers['database:user:create']({
      call: world.call(),
      input: {
        slug: 'shop',
        username,
        password: 'canary-user',
        ...(read_only === undefined ? {} : { read_only }),
      },
    })
  const first = await add('reader', true)
  assert.deepEqual([first.created, first.data.privileges], [true, 'SELECT on shop'])
  assert.match(world.grantsOf('reader'), /GRANT SELECT ON `shop`\.\* TO 'reader'/)
  const second = await add('reader')
  assert.deepEqual(
    [second.created, second.data.privileges, second.data.id],
    [false, 'ALL PRIVILEGES on shop', first.data.id],
  )
  const repeated = await add('reader')
  assert.deepEqual([repeated.created, repeated.data.id], [false, first.data.id])
  await assert.rejects(add('shop'), { code: 'database.name_conflict' })
  await assert.rejects(add('root'), { code: 'database.name_conflict' })
  assert.ok(!world.log().includes('canary-user'))
  await world.destroy('shop')
  assert.deepEqual(world.onServer(), [], 'a user goes with its database')
})

forEachDialect(
  'whoever an earlier version let write on PostgreSQL in every database of an owner is moved when the Node converges, or with another database of theirs',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    const server = await world.createServer({ tag: 'postgres:17' })
    const instance = await world.addInstance('feature')
    const { handlers, artifact } = world.databases
    const { db } = world.deps.store
    const add = (slug: string, username: string, read_only = false) =>
      handlers['database:user:create']({
        call: world.call(),
        input: { slug, username, password: 'canary-user', read_only },
      })
    for (const slug of ['one', 'two', 'three']) await world.create(slug, instance)
    for (const [slug, user] of [
      ['one', 'ann'],
      ['two', 'ann'],
      ['two', 'bob'],
    ] as const)
      await add(slug, user)
    await add('one', 'reader', true)
    const node = await world.deps.nodes.find(world.node.id)
    assert.ok(node)
    const unshared = async () =>
      (await db.selectFrom('database_users').select(['username', 'role']).orderBy('id').execute()).map(
        ({ username, role }) => [username, role],
      )
    const shared = [
      ['ann', 'fleet.one'],
      ['ann', 'fleet.two'],
      ['bob', 'fleet.two'],
      ['reader', null],
    ]
    assert.deepEqual([await unshared(), await artifact.digest(node)], [shared, undefined])
    const session = world.deps.nodes.sessions.overTunnel(world.call(), node)
    const grants = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      await db.updateTable('database_users').set({ role: null }).execute()
      const { length } = world.log()
      await work()
      return [
        ...world
          .log()
          .slice(length)
          .matchAll(/GRANT "(fleet\.\w+)" TO "(ann|bob)"/g),
      ].map(([, role, user]) => `${user} ${role}`)
    }
    assert.deepEqual(
      await grants(async () => {
        assert.ok(await artifact.digest(node))
        assert.equal(await artifact.converge(session, { force: false }), 'applied')
      }),
      ['ann fleet.one', 'ann fleet.two', 'bob fleet.two'],
    )
    assert.deepEqual([await unshared(), await artifact.digest(node)], [shared, undefined])
    // Nothing of one that is being removed.
    await db
      .updateTable('database_connections')
      .set({ pending_step: 'removal' })
      .where('slug', '=', 'two')
      .execute()
    assert.deepEqual(await grants(() => artifact.converge(session, { force: false })), ['ann fleet.one'])
    await db.updateTable('database_connections').set({ pending_step: null }).execute()
    assert.deepEqual(await grants(() => add('three', 'ann', true)), ['ann fleet.one', 'ann fleet.two'])
    // While somebody else works on it.
    const held = {
      name: 'database:two',
      operation: 'x',
      requestId: 'x',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    }
    await db.updateTable('database_users').set({ role: null }).execute()
    {
      await using _lock = await world.deps.store.locks.acquire(held)
      assert.partialDeepStrictEqual(await artifact.converge(session, { force: false }), {
        skipped: 'database.operation_busy',
      })
    }
    assert.deepEqual(
      (await unshared()).filter(([, role]) => role !== null),
      [['ann', 'fleet.one']],
    )
    assert.equal(server.engine, 'pgsql')
    assert.ok(!world.log().includes('canary-user'))
  },
)

test('a user is recorded before the server has it: one whose creation fails goes at once, one whose creation died with its database [DBS-018, DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  const { handlers } = world.databases
  const add = async (slug: string, username: string) =>
    (
      await handlers['database:user:create']({
        call: world.call(),
        input: { slug, username, password: 'canary-user', read_only: true },
      })
    ).created
  const users = async () =>
    (await handlers['database:user:list']({ call: world.call(), input: { slug: 'shop' } })).data.map(
      ({ username, privileges }) => [username, privileges],
    )
  const failed = { code: 'database.server_command_failed' }
  world.breakOn('GRANT SELECT')
  await assert.rejects(add('shop', 'reader'), failed)
  assert.deepEqual([await users(), world.onServer()], [[], ['db.shop', 'user.shop']])
  // Neither could what it had made be removed.
  world.breakOn(String.raw`GRANT SELECT\|DROP USER`)
  await assert.rejects(add('shop', 'reader'), failed)
  assert.deepEqual(world.onServer(), ['db.shop', 'user.reader', 'user.shop'])
  world.breakOn()
  await assert.rejects(world.create('reader'), { code: 'database.name_conflict' })
  await world.destroy('shop')
  assert.deepEqual(world.onServer(), [])
  await world.create('shop')
  assert.equal(await add('shop', 'reader'), true)
  world.breakOn('GRANT SELECT')
  await assert.rejects(add('shop', 'reader'), failed)
  assert.deepEqual(await users(), [['reader', 'SELECT on shop']], 'it was there before')
})

test('a record whose creation has not asked the server yet goes alone: what has its names there stays', async () => {
  await using world = await startServerWorld()
  const server = await world.createServer()
  const instance = await world.addInstance('feature')
  const foreign = ['db.shop', 'db.shop_test_old', 'user.shop_feature']
  for (const name of foreign) world.put(name)
  const { db, transaction } = world.deps.store
  const reserve = () =>
    insertConnection(db, {
      slug: 'shop',
      driver: 'mysql',
      database_name: 'shop',
      test_database: 'shop_test',
      username: 'shop_feature',
      server_id: server.id,
      owner_instance_id: instance.id,
      pending_step: RESERVED,
      created_at: '2026-01-01T00:00:00.000Z',
    })
  assert.ok(await reserve())
  await world.destroy('shop')
  assert.deepEqual([await findConnection(db, 'shop'), world.onServer()], [undefined, foreign])
  assert.ok(await reserve())
  await transaction((tx) => world.databases.forInstances.leaveBehind(tx, world.call(), instance.id))
  assert.deepEqual([await findConnection(db, 'shop'), await residuesOf(db, server.id)], [undefined, []])
})

test('a database that is created or removed is attached to nobody; a removal that fails gives it back [DB-042]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const { id: instance } = await world.addInstance('feature')
  await world.create('shop')
  const { db } = world.deps.store
  const { handlers } = world.databases
  const attach = () =>
    handlers['instance:database:add']({ call: world.call(), input: { instance, slug: 'shop', prefix: 'DB' } })
  const busy = { code: 'database.operation_busy' }
  await db.updateTable('database_connections').set({ pending_step: 'create' }).execute()
  await assert.rejects(attach(), busy)
  await db.updateTable('database_connections').set({ pending_step: null }).execute()
  const { access } = world.deps.engines
  const attempts: Promise<unknown>[] = []
  // Between what the removal has looked at and what it does on the server.
  Object.assign(access, { drop: () => void attempts.push(assert.rejects(attach(), busy)) })
  world.breakOn('DROP DATABASE')
  await assert.rejects(world.destroy('shop'), { code: 'database.server_command_failed' })
  await attach()
  await assert.rejects(world.destroy('shop'), { code: 'database.connection_attached' })
  await db.deleteFrom('database_attachments').execute()
  world.breakOn()
  // Of a gateway that ended within it.
  await db.updateTable('database_connections').set({ pending_step: 'removal' }).execute()
  await assert.rejects(world.create('shop'), { code: 'database.slug_conflict' })
  await world.destroy('shop')
  assert.equal((await Promise.all(attempts)).length, 2)
  assert.deepEqual([await findConnection(db, 'shop'), world.onServer()], [undefined, []])
})

test('a removal that another request has taken over takes no mark back but its own', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const { id: instance } = await world.addInstance('feature')
  await world.create('shop')
  const { db } = world.deps.store
  const marked = (pending_step: string) =>
    db.updateTable('database_connections').set({ pending_step }).where('slug', '=', 'shop').execute()
  const takeover: Promise<unknown>[] = []
  Object.assign(world.deps.engines.access, { drop: () => void takeover.push(marked('removal other')) })
  world.breakOn('DROP DATABASE')
  const failed = { code: 'database.server_command_failed' }
  await assert.rejects(world.destroy('shop'), failed)
  await Promise.all(takeover)
  const attach = () =>
    world.databases.handlers['instance:database:add']({
      call: world.call(),
      input: { instance, slug: 'shop', prefix: 'DB' },
    })
  await assert.rejects(attach(), { code: 'database.operation_busy' }, 'the other request still drops it')
  await assert.rejects(world.create('shop'), { code: 'database.slug_conflict' })
  // Once that one is gone, the next request has the mark, and takes it back.
  Object.assign(world.deps.engines.access, { drop: () => undefined })
  await assert.rejects(world.destroy('shop'), failed)
  await attach()
})

test('what is on a server that does not answer is recorded, reported and dropped when its Node converges', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  const instance = await world.addInstance('feature')
  await world.create('shop', instance)
  const { db, transaction } = world.deps.store
  await transaction((tx) => world.databases.forInstances.leaveBehind(tx, world.call(), instance.id))
  assert.equal(await findConnection(db, 'shop'), undefined)
  const node = await world.deps.nodes.find(world.node.id)
  assert.ok(node)
  const verdict = async (): Promise<unknown> => {
    const [check] = await world.databases.residueChecks.checksOf(world.call(), node)
    return check?.kind === 'stored' ? check.judge() : assert.fail('no check')
  }
  assert.deepEqual(await verdict(), { expected: 'none', observed: '1' })
  const session = world.deps.nodes.sessions.overTunnel(world.call(), node)
  assert.equal(await world.databases.artifact.converge(session, { force: false }), 'applied')
  assert.deepEqual([world.onServer(), await verdict()], [[], undefined])
})

forEachDialect(
  'with what was left on a server that did not answer, every user who was created in it goes, and one who is used elsewhere stays',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    await world.createServer()
    const instance = await world.addInstance('feature')
    for (const slug of ['one', 'two']) await world.create(slug, instance)
    await world.create('other')
    const { handlers, forInstances, artifact } = world.databases
    for (const [slug, username] of [
      ['one', 'writer'],
      ['one', 'reader'],
      ['other', 'reader'],
    ] as const)
      await handlers['database:user:create']({
        call: world.call(),
        input: { slug, username, password: 'canary-user' },
      })
    await world.deps.store.transaction((tx) => forInstances.leaveBehind(tx, world.call(), instance.id))
    const node = await world.deps.nodes.find(world.node.id)
    assert.ok(node)
    const session = world.deps.nodes.sessions.overTunnel(world.call(), node)
    assert.equal(await artifact.converge(session, { force: false }), 'applied')
    assert.deepEqual(world.onServer(), ['db.other', 'user.other', 'user.reader'])
    assert.doesNotMatch(world.grantsOf('reader'), /`one`/)
    const [dropped, ...again] = world.log().split("DROP USER IF EXISTS 'shop_feature'")
    assert.match(dropped ?? '', /DROP DATABASE IF EXISTS `two`/, 'PostgreSQL drops no owner of a database')
    assert.equal(again.length, 1)
  },
)

test('removing the record of a database on a server drops it there, and one that was registered stays [DB-015, DB-032, DB-033]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  world.put('db.registered')
  const { handlers } = world.databases
  const login = { host: world.node.wireguard_ip ?? '', database: 'registered', username: 'u', password: 'p' }
  const input = { slug: 'plain', driver: 'mysql' as const, ...login }
  const { data } = await handlers['database:create']({ call: world.call(), input })
  assert.equal(data.server, null)
  const before = world.log()
  await world.destroy('plain')
  assert.deepEqual([world.log(), world.onServer()], [before, ['db.registered', 'db.shop', 'user.shop']])
  await world.destroy('shop')
  assert.deepEqual(world.onServer(), ['db.registered'])
})

test('a database is at the port that its server publishes, on the tunnel address of the Node [DB-094]', async () => {
  await using world = await startServerWorld()
  await world.createServer({ port: 3310 })
  const instance = await world.addInstance('feature')
  const { wireguard_ip: host } = world.node
  assert.partialDeepStrictEqual(await world.create('shop', instance), { host, port: 3310 })
  assert.equal((await world.environment.stored(instance.id)).get('DB_PORT'), '3310')
})
