import assert from 'node:assert/strict'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { addInstance, addProject, asCaller, fakeCall, forEachDialect } from '@fleet/testing'
import {
  fileOf,
  findings,
  PASSWORD,
  quotedValues,
  rejection,
  startWorld,
  unitOf,
  withMarker,
  type World,
} from '#/processes/connections/world.test.ts'

const register = ({ fleet }: World, slug: string, more: object = {}) =>
  fleet.domains.databases.handlers['database:create']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { slug, driver: 'redis', host: `${slug}.internal`, ...more },
  })

const destroyConnection = ({ fleet }: World, slug: string) =>
  fleet.domains.databases.handlers['database:destroy']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { slug },
  })

async function ownInstance({ fleet }: World): Promise<number> {
  const project = await addProject(fleet.store)
  const place = { project_id: project.id, node_id: fleet.node.id, status: 'active' } as const
  return (await addInstance(fleet.store, place)).id
}

test('a unit gets the keys of each of its connections from a file of root, after the .env, and none that they leave out', async () => {
  await using world = await startWorld()
  const { host } = world.fleet
  await register(world, 'cache')
  const web = await world.create({
    target_type: 'instance',
    target_id: await ownInstance(world),
    connections: ['shop', 'cache:REDIS'],
  })
  assert.deepEqual(web.runtime_config.connections, ['shop:DB', 'cache:REDIS'])
  const redis = 'REDIS_CONNECTION="redis"\nREDIS_HOST="cache.internal"\nREDIS_PORT="6379"\n'
  assert.equal(host.read(fileOf(web)), withMarker(web, `${quotedValues('a.internal')}\n${redis}`))
  assert.equal(statSync(host.at(fileOf(web))).mode & 0o777, 0o600)
  assert.equal(statSync(host.at('etc/fleet/processes')).mode & 0o777, 0o700)
  const lines = (host.read(`etc/systemd/system/${unitOf(web)}`) ?? '').split('\n')
  const at = lines.findIndex((line) => line.startsWith('EnvironmentFile=-'))
  assert.deepEqual(lines.slice(at + 1, at + 5), [
    `EnvironmentFile=/${fileOf(web)}`,
    'UnsetEnvironment=REDIS_DATABASE',
    'UnsetEnvironment=REDIS_USERNAME',
    'UnsetEnvironment=REDIS_PASSWORD',
  ])
})

test('a connection with other fields changes which keys a unit has and which it must not have', async () => {
  await using world = await startWorld()
  await register(world, 'cache', { password: 'hunter2-hunter2' })
  const web = await world.create({ connections: ['cache'], start: true })
  const { host } = world.fleet
  const text = () => host.read(`etc/systemd/system/${unitOf(web)}`) ?? ''
  assert.match(world.environmentOf(web), /^DB_PASSWORD="hunter2-hunter2"$/m)
  assert.doesNotMatch(text(), /UnsetEnvironment=DB_PASSWORD/)
  const call = fakeCall({ caller: asCaller(world.fleet.node, true) })
  const { handlers } = world.fleet.domains.databases
  await handlers['database:update']({ call, input: { slug: 'cache', password: null } })
  assert.doesNotMatch(world.environmentOf(web), /DB_PASSWORD/)
  assert.match(text(), /^UnsetEnvironment=DB_PASSWORD$/m)
})

forEachDialect(
  'what a connection has is in no answer, event, row, argument or log, before and after a change',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { fleet } = world
    const web = await world.create({ start: true })
    const container = await world.create({ runtime: 'docker', image: 'app:1', name: 'box', start: true })
    const [next, last] = ['next-canary-value', 'last-canary-value']
    const call = await world.update({ password: next })
    assert.match(world.environmentOf(web), new RegExp(next))
    fleet.host.pool.failBefore((shown) => shown.includes('act on the unit'))
    const error = await rejection(world.update({ password: last }))
    fleet.host.pool.clearFaults()
    const said = JSON.stringify([
      call.events,
      call.notes,
      call.steps,
      error.message,
      error.details,
      await world.list(),
      await findings(world),
      fleet.host.pool.commands,
      fleet.host.docker.calls(),
      fleet.host.systemd.calls(),
      await fleet.store.db.selectFrom('processes').selectAll().execute(),
    ])
    for (const secret of [PASSWORD, JSON.stringify(PASSWORD).slice(1, -1), next, last])
      assert.equal(said.includes(secret), false, secret)
    // It runs with the one, and its file has the other.
    fleet.host.write(`systemd/journal/${unitOf(web)}`, `a ${next}\nb ${last}\n`)
    fleet.host.docker.write(`orbit-process-${container.id}-box`, 'log', `c ${last}\n`)
    const logs = async (process: number) => {
      const { handlers } = fleet.domains.logs
      return (await handlers['process:logs']({ call: fakeCall(), input: { process, lines: 9 } })).data.logs
    }
    assert.match(await logs(web.id), /^a \[REDACTED\]\nb \[REDACTED\]/)
    assert.match(await logs(container.id), /^c \[REDACTED\]/)
  },
)

test('an unknown connection, one that no environment holds, and a variable that it sets are refused before anything is stored', async () => {
  await using world = await startWorld()
  await register(world, 'odd', { password: 'two\nlines' })
  const docker = { runtime: 'docker', image: 'app:1' } as const
  const refused: ReadonlyArray<readonly [Parameters<World['create']>[0], string]> = [
    [{ connections: ['none'] }, 'database.not_found'],
    [{ connections: ['odd:ODD'] }, 'validation.failed'],
    [{ ...docker, connections: ['odd'] }, 'validation.failed'],
    [{ ...docker, environment: ['DB_HOST=x'] }, 'validation.failed'],
    [{ ...docker, environment: ['MAIN_PASSWORD=x'], connections: ['shop:MAIN'] }, 'validation.failed'],
  ]
  for (const [given, code] of refused) assert.equal((await rejection(world.create(given))).code, code)
  assert.deepEqual(await world.list(), [])
  await world.create({ ...docker, environment: ['DB_FOREIGN_KEYS=1'] })
})

test('a connection whose password cannot be read refuses a start, and keeps neither a stop nor Doctor from their work', async () => {
  await using world = await startWorld()
  const web = await world.create({ start: true })
  await world.fleet.store.db.updateTable('database_connections').set({ password: 'broken' }).execute()
  for (const action of ['start', 'restart'] as const)
    assert.equal((await rejection(world.act(action, web))).code, 'database.password_unreadable')
  assert.deepEqual(await findings(world), [
    'process.inspection_failed: the password of a connection cannot be decrypted',
  ])
  assert.notEqual(await world.fleet.domains.processes.artifact.digest(world.fleet.node), undefined)
  assert.equal((await world.act('stop', web)).desired_state, 'stopped')
  // The way out.
  await world.update({ password: 'readable-again' })
  await world.act('start', web)
  assert.match(world.environmentOf(web), /readable-again/)
})

test('a password with a line break is refused for a connection that a Process depends on, and stored for any other', async () => {
  await using world = await startWorld()
  await register(world, 'cache')
  await world.create()
  const error = await rejection(world.update({ host: 'b.internal', password: 'two\nlines' }))
  assert.deepEqual(
    [error.code, Object.keys(error.details['errors'] ?? {})],
    ['validation.failed', ['password']],
  )
  assert.equal((await world.show())['host'], 'a.internal')
  const input = { slug: 'cache', password: 'two\nlines' }
  await world.fleet.domains.databases.handlers['database:update']({ call: fakeCall(), input })
})

test('the same creation answers the stored Process in whatever order its connections come, another one is refused', async () => {
  await using world = await startWorld()
  await register(world, 'cache')
  const web = await world.create({ connections: ['shop', 'cache:REDIS'] })
  for (const connections of [
    ['cache:REDIS', 'shop:DB'],
    ['shop', 'cache:REDIS'],
  ])
    assert.equal((await world.create({ connections })).id, web.id)
  for (const connections of [[], ['shop'], ['shop', 'cache:R'], ['cache', 'shop:REDIS']])
    assert.equal((await rejection(world.create({ connections }))).code, 'process.name_taken')
})

forEachDialect(
  'a connection that a Process depends on is not removed, and the refusal names the Process [DB-042]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const web = await world.create()
    await register(world, 'cache')
    await world.create({ name: 'next', connections: ['cache'] })
    await world.create({ name: 'last', connections: [] })
    const error = await rejection(destroyConnection(world, 'shop'))
    assert.equal(error.code, 'database.connection_attached')
    assert.deepEqual(error.details, {
      instances: [],
      processes: [{ process_id: web.id, name: 'web' }],
      count: 1,
    })
    const { handlers } = world.fleet.domains.processes
    await handlers['process:destroy']({ call: fakeCall(), input: { process: web.id, offline: false } })
    await destroyConnection(world, 'shop')
  },
)

test('the removal of a Process takes its file of values along, also what a removal left on a silent Node', async () => {
  await using world = await startWorld()
  const { fleet } = world
  const { handlers, artifact } = fleet.domains.processes
  const web = await world.create()
  const next = await world.create({ name: 'next' })
  assert.ok(fleet.host.read(fileOf(web)))
  await handlers['process:destroy']({ call: fakeCall(), input: { process: web.id, offline: false } })
  assert.deepEqual(readdirSync(fleet.host.at('etc/fleet/processes')), [`${next.id}.env`])
  const set = (status: 'active' | 'failed') => fleet.store.db.updateTable('nodes').set({ status }).execute()
  await set('failed')
  await handlers['process:destroy']({ call: fakeCall(), input: { process: next.id, offline: true } })
  assert.ok(fleet.host.read(fileOf(next)))
  await set('active')
  await artifact.converge(fleet.session, { force: true })
  assert.equal(existsSync(fleet.host.at('etc/fleet')), false)
})

test('Doctor reports a file of values that was edited, and a converge writes it again', async () => {
  await using world = await startWorld()
  const { fleet } = world
  const web = await world.create({ start: true })
  fleet.host.write(fileOf(web), withMarker(web, 'DB_HOST="z"\n'))
  assert.deepEqual(await findings(world), ['process.unit_mismatch: other values'])
  await fleet.domains.processes.artifact.converge(fleet.session, { force: true })
  assert.equal(world.environmentOf(web), withMarker(web, quotedValues('a.internal')))
  assert.deepEqual(await findings(world), [])
})

test('a file of values of somebody else is neither replaced nor removed', async () => {
  await using world = await startWorld()
  world.fleet.host.write('etc/fleet/processes/1.env', 'DB_HOST=mine\n')
  assert.equal((await rejection(world.create())).code, 'process.unit_conflict')
  assert.equal(world.fleet.host.read('etc/fleet/processes/1.env'), 'DB_HOST=mine\n')
})

test('a Process that moves with its Instance keeps what it depends on, and leaves no values where it was', async () => {
  await using world = await startWorld()
  const { fleet } = world
  const { moves, runtime } = fleet.domains.processes
  const instance = await ownInstance(world)
  const web = await world.create({ target_type: 'instance', target_id: instance, start: true })
  await runtime.stop(fleet.session, instance)
  await moves.withdraw(fleet.session, instance)
  assert.equal(fleet.host.read(fileOf(web)), undefined)
  await moves.resume(fleet.session, instance)
  assert.equal(world.environmentOf(web), withMarker(web, quotedValues('a.internal')))
  assert.deepEqual((await world.list())[0]?.runtime_config.connections, ['shop:DB'])
})

forEachDialect(
  'Processes follow a SQLite file that moves with its Instance, in work of their own',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { fleet } = world
    const { id: node_id } = fleet.node
    await register(world, 'file', {
      driver: 'sqlite',
      host: undefined,
      path: '/srv/a/data/db.sqlite',
      node_id,
    })
    await register(world, 'alone', { driver: 'sqlite', host: undefined, path: '/srv/a/x.sqlite', node_id })
    const web = await world.create({ connections: ['file'], start: true })
    const { moveFiles } = fleet.domains.databases
    const moved = await fleet.store.transaction((db) =>
      moveFiles(db, { from: { nodeId: node_id, path: '/srv/a' }, to: { nodeId: node_id, path: '/srv/b' } }),
    )
    assert.deepEqual(
      moved.map(({ slug, path }) => [slug, path]),
      [
        ['file', '/srv/b/data/db.sqlite'],
        ['alone', '/srv/b/x.sqlite'],
      ],
    )
    assert.match(world.environmentOf(web), /^DB_DATABASE="\/srv\/a\/data\/db\.sqlite"$/m)
    const work = await fleet.store.db.selectFrom('work').select(['kind', 'key', 'payload']).execute()
    assert.deepEqual(
      work.map(({ kind, key }) => [kind, key]),
      [['process:follow-connection', 'file']],
    )
    const kind = fleet.domains.workKinds.find(({ name }) => name === 'process:follow-connection')
    await kind?.run(fakeCall(), JSON.parse(String(work[0]?.payload)))
    assert.match(world.environmentOf(web), /^DB_DATABASE="\/srv\/b\/data\/db\.sqlite"$/m)
  },
)

forEachDialect(
  'a connection that is removed with the Instance that owns it is one on which nobody depends any more',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { fleet } = world
    const owner_instance_id = await ownInstance(world)
    await register(world, 'cache')
    const web = await world.create({ connections: ['shop', 'cache:REDIS'], start: true })
    const box = await world.create({ name: 'box', runtime: 'docker', image: 'app:1' })
    const { db } = fleet.store
    await db
      .updateTable('database_connections')
      .set({ owner_instance_id })
      .where('slug', '=', 'shop')
      .execute()
    await fleet.domains.databases.forInstances.remove(fakeCall(), owner_instance_id)
    const shown = (await world.list()).map(({ id, runtime_config }) => [id, runtime_config.connections])
    assert.deepEqual(shown, [
      [web.id, ['cache:REDIS']],
      [box.id, undefined],
    ])
    assert.deepEqual(await findings(world), [
      'process.unit_mismatch: other values',
      'process.unit_mismatch: edited',
    ])
    await fleet.domains.processes.artifact.converge(fleet.session, { force: true })
    assert.deepEqual(await findings(world), [])
    assert.doesNotMatch(world.environmentOf(web), /^DB_/m)
  },
)
