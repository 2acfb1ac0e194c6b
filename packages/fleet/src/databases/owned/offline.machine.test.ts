import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findConnection } from '#/databases/queries.ts'
import { type ServerWorld, startServerWorld } from '#/databases/servers/world.test.ts'

const destroy = async ({ databases, call: make }: ServerWorld, slug: string, offline: boolean) => {
  const call = make()
  const { data } = await databases.handlers['database:destroy']({ call, input: { slug, offline } })
  return { left: data.retained_on_nodes, call }
}

const destroyServer = async ({ databases, call: make }: ServerWorld, offline: boolean) => {
  const call = make()
  const input = { slug: 'main', offline }
  const { data } = await databases.handlers['database:server:destroy']({ call, input })
  return { left: data.retained_on_nodes, call }
}

const converge = async ({ databases, deps, node, call }: ServerWorld) => {
  const found = (await deps.nodes.find(node.id)) ?? assert.fail()
  return databases.artifact.converge(deps.nodes.sessions.overTunnel(call(), found), { force: false })
}

test('a database on a dead machine goes by its record, and is dropped once the Node is back', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  world.silence()
  await assert.rejects(destroy(world, 'shop', false), {
    code: 'database.node_unreachable',
    message: /--offline/,
  })
  assert.equal((await findConnection(world.deps.store.db, 'shop'))?.pending_step, null)
  const { left, call } = await destroy(world, 'shop', true)
  assert.deepEqual(left, [{ node_id: world.node.id, node: world.node.name, database: 'shop' }])
  assert.deepEqual(call.notes.properties['retained'], left)
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['database.deleted'],
  )
  assert.equal(await findConnection(world.deps.store.db, 'shop'), undefined)
  await assert.rejects(destroy(world, 'shop', true), { code: 'database.not_found' })
  assert.deepEqual(world.onServer(), ['db.shop', 'user.shop'])
  world.silence(false)
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), [])
})

test('offline waives no refusal, and a Node that answers drops the database at once', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop', await world.addInstance('feature'))
  world.silence()
  await assert.rejects(destroy(world, 'shop', true), { code: 'database.connection_attached' })
  await assert.rejects(destroyServer(world, true), { code: 'database.server_in_use' })
  await world.deps.store.db.deleteFrom('database_attachments').execute()
  world.silence(false)
  assert.deepEqual((await destroy(world, 'shop', true)).left, [])
  assert.deepEqual(world.onServer(), [])
  assert.deepEqual((await destroyServer(world, true)).left, [])
})

test('a server of a dead machine goes by its record, also after a removal that stopped, and then the Node has none', async () => {
  await using world = await startServerWorld()
  const { process_id: process } = await world.createServer()
  await world.create('shop')
  world.silence()
  const { remove } = world.containers
  Object.assign(world.containers, { remove: () => Promise.reject(new Error('silent')) })
  await destroy(world, 'shop', true)
  await assert.rejects(destroyServer(world, true), /silent/)
  const skipped: typeof remove = (call, id, session) => {
    assert.equal(session, undefined)
    return remove(call, id, session)
  }
  Object.assign(world.containers, { remove: skipped })
  const { left, call } = await destroyServer(world, true)
  const container = `orbit-process-${process}-main`
  assert.deepEqual(left, [{ node_id: world.node.id, node: world.node.name, container }])
  assert.deepEqual(call.notes.properties['retained'], left)
  assert.equal(await world.databases.countServersOn(world.node.id), 0)
  await assert.rejects(destroyServer(world, true), { code: 'database.server_missing' })
})

test('a server that does not answer on a Node that does: what stays there goes by its record, and is dropped once the server answers [DBS-036, DBS-040]', async () => {
  await using world = await startServerWorld()
  const { process_id: process, slug: server } = await world.createServer()
  await world.create('shop')
  const { db } = world.deps.store
  const container = world.text('running')
  world.stop()
  await assert.rejects(destroy(world, 'shop', false), {
    code: 'database.server_command_failed',
    message: new RegExp(
      `^The database server main does not answer.*fleet process:logs ${process}.*--offline`,
    ),
    details: {
      node: { id: world.node.id, name: world.node.name },
      reason: 'server_unreachable',
      server,
      process_id: process,
      step: 'drop',
    },
  })
  assert.equal((await findConnection(db, 'shop'))?.pending_step, null)
  const { left, call } = await destroy(world, 'shop', true)
  assert.deepEqual(left, [{ node_id: world.node.id, node: world.node.name, database: 'shop' }])
  assert.deepEqual(call.notes.properties['retained'], left)
  assert.equal(await findConnection(db, 'shop'), undefined)
  assert.match(JSON.stringify(await converge(world)), /skipped/)
  world.put('running', container)
  assert.deepEqual(world.onServer(), ['db.shop', 'user.shop'])
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), [])
  await world.create('last')
  world.stop()
  await destroy(world, 'last', true)
  assert.deepEqual((await destroyServer(world, false)).left, [])
  assert.deepEqual(await db.selectFrom('database_residues').selectAll().execute(), [])
})

test('a server that answers and refuses a statement is no silent one: the database keeps its record, with `offline` too [DBS-040, DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop')
  world.breakOn('DROP DATABASE')
  const refused = { code: 'database.server_command_failed', message: /did not do what it was asked to/ }
  await assert.rejects(destroy(world, 'shop', true), refused)
  assert.ok(await findConnection(world.deps.store.db, 'shop'))
})
