import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { repairOf } from '@fleet/contract/doctor-codes'
import { addNode, forEachDialect, testDomains } from '@fleet/testing'
import { adminOf } from '#/databases/servers/admin.ts'
import { openRootPassword } from '#/databases/servers/root-password.ts'
import { insertServer } from '#/databases/servers/queries.ts'
import { startServerWorld } from '#/databases/servers/world.test.ts'

forEachDialect(
  'a server is a container whose root password is random, sealed, and in its first start alone [DBS-024, DBS-025, DBS-028, DBS-029, DBS-031, DBS-034, GW-021]',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    const { handlers } = world.databases
    const input = { slug: 'main', node_id: world.node.id }
    const call = world.call()
    const { data, created } = await handlers['database:server:create']({ call, input })
    const { id, process_id } = data
    assert.deepEqual(
      [created, data],
      [
        true,
        {
          id,
          slug: 'main',
          node_id: world.node.id,
          process_id,
          tag: '8.4',
          port: 3306,
          status: 'active',
          databases_count: 0,
        },
      ],
    )
    const [first, second, ...others] = world.containers.ran
    const server = await world.createServer()
    const password = openRootPassword(world.deps.store.cipher, server).reveal()
    assert.match(password, /^[0-9a-f]{64}$/)
    assert.deepEqual([first, second, others], [{ MYSQL_ROOT_PASSWORD: password }, {}, []])
    assert.deepEqual((await handlers['database:server:list']({ call, input: {} })).data, [data])
    const shown = await handlers['database:server:show']({ call, input: { slug: 'main' } })
    assert.deepEqual(shown.data, { ...data, databases: [] })
    assert.ok(!JSON.stringify([data, shown, call.notes, call.events, call.logged]).includes(password))
    assert.deepEqual(call.events, [])
    // The identical request runs nothing.
    assert.deepEqual(await handlers['database:server:create']({ call, input }), { data, created: false })
    assert.equal(world.containers.ran.length, 2)
  },
)

test('an embedded Node has no Docker, and no record is left of the attempt [DBS-034]', async () => {
  await using world = await startServerWorld()
  const { db } = world.deps.store
  await db.updateTable('nodes').set({ wireguard_ip: '127.44.0.12' }).where('id', '=', world.node.id).execute()
  await assert.rejects(world.createServer(), {
    code: 'node.capability_missing',
    details: { node: { id: world.node.id, name: world.node.name }, capability: 'docker' },
  })
  assert.deepEqual(await db.selectFrom('database_servers').selectAll().execute(), [])
})

test('a Node without Docker is refused before anything is stored, and slug and port stay free [DBS-025, DBS-034]', async () => {
  await using world = await startServerWorld()
  const { db } = world.deps.store
  world.put('no-docker')
  await assert.rejects(world.createServer(), { code: 'node.capability_missing' })
  for (const table of ['database_servers', 'processes'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
  world.drop('no-docker')
  assert.equal((await world.createServer()).status, 'active')
  // Who repeats it asks the Node for nothing.
  world.put('no-docker')
  assert.equal((await world.createServer()).status, 'active')
})

test('another Node, tag or port of a used slug, and a used port, are refused [DBS-037, DBS-038]', async () => {
  await using world = await startServerWorld()
  const { id } = await world.createServer()
  // Both spellings name one image, also in what an earlier version stored.
  const { db } = world.deps.store
  assert.equal((await world.createServer({ tag: 'mysql:8.4' })).id, id)
  await db.updateTable('database_servers').set({ tag: 'mysql:8.4' }).execute()
  assert.equal((await world.createServer({ tag: '8.4' })).id, id)
  const other = await addNode(world.deps.store)
  for (const given of [{ tag: 'mariadb:11.8' }, { port: 3307 }, { node_id: other.id }])
    await assert.rejects(world.createServer(given), { code: 'database.server_slug_conflict' })
  await assert.rejects(world.createServer({ slug: 'two' }), {
    code: 'database.server_port_in_use',
    details: { port: 3306, process_id: 1 },
  })
  const { servers } = testDomains({ store: world.deps.store }).processes
  const node = await world.deps.nodes.find(world.node.id)
  assert.ok(node)
  await servers.reserve(world.call(), {
    node,
    name: 'web',
    image: 'x',
    command: ['x'],
    ports: ['4000:80/tcp'],
  })
  await assert.rejects(world.createServer({ slug: 'three', port: 4000 }), {
    code: 'database.server_port_in_use',
  })
})

forEachDialect('of two servers that want one port at once, one gets it [DBS-038]', async (dialect) => {
  await using world = await startServerWorld(dialect)
  const ends = await Promise.allSettled(['one', 'two'].map((slug) => world.createServer({ slug })))
  const codes = ends.flatMap((end) => (end.status === 'rejected' ? [Object(end.reason).code] : []))
  assert.deepEqual(codes, ['database.server_port_in_use'])
  assert.equal((await world.deps.store.db.selectFrom('database_servers').selectAll().execute()).length, 1)
})

forEachDialect(
  'of a server and a Process that want one port at once, one gets it, and nothing of the other is stored [DBS-038]',
  async (dialect) => {
    await using world = await startServerWorld(dialect)
    const { store } = world.deps
    const { handlers } = testDomains({ store, ssh: world.pool }).processes
    const create = (name: string, ports: readonly string[]) =>
      handlers['process:create']({
        call: world.call(),
        input: {
          target_type: 'node',
          target_id: world.node.id,
          name,
          runtime: 'docker',
          image: 'caddy:2',
          command: ['x'],
          ports: [...ports],
        },
      })
    const refused = async (work: Promise<unknown>): Promise<string[]> => {
      const code: unknown = await work.then(
        () => undefined,
        (error: unknown) => Object(error).code,
      )
      return typeof code === 'string' && REFUSALS.has(code) ? [code] : []
    }
    const codes = await Promise.all([
      refused(world.createServer({ slug: 'db', port: 4001 })),
      refused(create('web', ['4001:80'])),
    ])
    assert.equal(codes.flat().length, 1)
    const names = [
      ...(await store.db.selectFrom('database_servers').select('slug').execute()),
      ...(await store.db.selectFrom('processes').select('id').where('name', '=', 'web').execute()),
    ]
    assert.equal(names.length, 1)
    await insertServer(store.db, {
      slug: 'last',
      node_id: world.node.id,
      engine: 'mysql',
      tag: '8.4',
      port: 4010,
      status: 'provisioning',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    const { wireguard_ip: tunnel } = world.node
    for (const ports of [['4010:80'], ['0.0.0.0:4010:80/tcp'], ['80:80', `${tunnel}:4010:80`]])
      await assert.rejects(create('other', ports), {
        code: 'process.port_unavailable',
        details: { port: 4010, database_server: 'last' },
      })
    // Where the server does not listen.
    for (const [index, port] of ['127.0.0.1:4010:80', '4010:80/udp'].entries())
      assert.deepEqual(await refused(create(`beside-${index}`, [port])), [])
  },
)

const REFUSALS: ReadonlySet<string> = new Set(['database.server_port_in_use', 'process.port_unavailable'])

test('a server with databases is not removed, its Process neither, and its removal keeps the record of none [DBS-036, DBS-039, PROC-043]', async () => {
  await using world = await startServerWorld()
  const server = await world.createServer()
  await world.create('shop')
  const destroy = () =>
    world.databases.handlers['database:server:destroy']({ call: world.call(), input: { slug: 'main' } })
  await assert.rejects(destroy(), {
    code: 'database.server_in_use',
    details: { databases: ['shop'], count: 1 },
  })
  const { processes } = testDomains({ store: world.deps.store })
  const removal = processes.handlers['process:destroy']({
    call: world.call(),
    input: { process: server.process_id ?? 0, offline: false },
  })
  await assert.rejects(removal, { code: 'process.required_by_database_server' })
  await world.destroy('shop')
  await destroy()
  assert.deepEqual(await world.deps.store.db.selectFrom('processes').select('id').execute(), [])
  await assert.rejects(destroy(), { code: 'database.server_missing' })
})

test('Doctor sends who meets an unfinished Process of a server to the command of the server', async () => {
  await using world = await startServerWorld()
  const { process_id: id } = await world.createServer()
  const { db } = world.deps.store
  await db.updateTable('processes').set({ status: 'creating' }).execute()
  const { doctor } = testDomains({ store: world.deps.store, ssh: world.pool })
  const { data } = await doctor.handlers['doctor:run']({
    call: world.call(),
    input: { node_id: world.node.id, families: ['process'] },
  })
  const issues = data.nodes.flatMap(({ families }) => families.flatMap((family) => family.issues))
  const issue = issues.find(({ code }) => code === 'process.lifecycle_not_active') ?? assert.fail()
  assert.deepEqual([issue.resource_id, issue.observed], [id, 'creating, of a database server'])
  const { text, command } = repairOf(issue.code, { ...issue, node_id: 1, node_name: 'web' })
  assert.equal(command, 'database:server:destroy main')
  assert.match(text, /the same `fleet database:server:create` again/)
})

test('a server that nobody can log in to in time says where its log is, and what a volume of an earlier one needs [DBS-032]', async () => {
  await using world = await startServerWorld()
  const server = await world.createServer()
  const late = fail('database.server_start_failed', { details: { reason: 'no-login' } })
  const sessions = { overTunnel: () => ({ ask: () => Promise.reject(late) }) } as never // A login asks its Node alone.
  const nodes = { find: world.deps.nodes.find, sessions }
  const { wait } = await adminOf({ ...world.deps, nodes }, world.call(), server)
  await assert.rejects(wait(), (error: Error & { details: object }) => {
    const { process_id } = server
    assert.deepEqual(error.details, { reason: 'no-login', server: 'main', process_id })
    assert.match(
      error.message,
      new RegExp(`fleet process:logs ${process_id}\\b.*docker volume rm fleet-main-data`),
    )
    return true
  })
})

test('a creation that stopped is resumed by the identical request, and nothing is created on the server before [DBS-033, DBS-040, DB-073, DB-074]', async () => {
  await using world = await startServerWorld()
  await assert.rejects(world.create('shop'), { code: 'database.server_missing' })
  const { run } = world.containers
  Object.assign(world.containers, { run: () => Promise.reject(new Error('the Node is gone')) })
  await assert.rejects(world.createServer(), /the Node is gone/)
  const { db } = world.deps.store
  const [failed] = await db.selectFrom('database_servers').select(['status', 'failed_step']).execute()
  assert.deepEqual(failed, { status: 'failed', failed_step: 'initialize' })
  await assert.rejects(world.create('shop'), { code: 'database.server_inactive' })
  Object.assign(world.containers, { run })
  assert.equal((await world.createServer()).status, 'active')
})

test('a volume that an interrupted start of the same creation has left by half is begun anew, and one of an earlier server keeps its data [DBS-033, DBS-036]', async () => {
  await using world = await startServerWorld()
  const { run } = world.containers
  const dies: typeof run = async (...given) => {
    await run(...given)
    world.spoil('half')
    throw new Error('the Node is gone')
  }
  Object.assign(world.containers, { run: dies })
  await assert.rejects(world.createServer(), /the Node is gone/)
  Object.assign(world.containers, { run })
  assert.equal((await world.createServer()).status, 'active')
  await world.create('shop')
  await world.destroy('shop')

  await world.databases.handlers['database:server:destroy']({ call: world.call(), input: { slug: 'main' } })
  world.spoil('of the earlier server')
  const { run: again } = world.containers
  Object.assign(world.containers, {
    run: async (...given: Parameters<typeof run>) => {
      await again(...given)
      throw new Error('nobody can log in')
    },
  })
  for (const _time of ['first', 'again']) await assert.rejects(world.createServer(), /nobody can log in/)
  assert.equal(world.rootOf(), 'of the earlier server')
})
