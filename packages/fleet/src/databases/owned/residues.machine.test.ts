import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { inputOf } from '@fleet/shell'
import { asCaller, fakeCall, forEachDialect } from '@fleet/testing'
import { leaveBehind } from '#/databases/owned/leave.ts'
import { insertResidue, residuesOn } from '#/databases/owned/queries.ts'
import { findConnection } from '#/databases/queries.ts'
import { type ServerWorld, startServerWorld } from '#/databases/servers/world.test.ts'
import { holding, lockOf } from '#/locks/api.ts'

const converge = async ({ databases, deps, node, call }: ServerWorld) => {
  const found = (await deps.nodes.find(node.id)) ?? assert.fail()
  return databases.artifact.converge(deps.nodes.sessions.overTunnel(call(), found), { force: false })
}

const reader = { username: 'reader', password: 'a-long-password', read_only: true }

const createUser = ({ databases, call: make }: ServerWorld, slug: string, call = make()) =>
  databases.handlers['database:user:create']({ call, input: { slug, ...reader } })

const createDatabase = ({ databases, call: make }: ServerWorld, slug: string, call = make()) =>
  databases.handlers['database:create']({ call, input: { slug, server: 'main' } })

/** A request that has no time to wait for anything. */
const impatient = ({ node }: ServerWorld) =>
  fakeCall({ caller: asCaller(node, true), deadline: new Deadline(systemClock, 20, 20) })

/** `work` runs once, before the first script of this kind is sent to the Node. */
function before({ pool }: ServerWorld, isMeant: (text: string) => boolean, work: () => Promise<unknown>) {
  const real = pool.run
  let hasRun = false
  Object.assign(pool, {
    run: async (...given: Parameters<typeof real>) => {
      const text = inputOf(given[1])
        .map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString()))
        .join('\n')
      if (!hasRun && isMeant(text)) {
        hasRun = true
        await work()
      }
      return real.apply(pool, given)
    },
  })
  return { hasRun: () => hasRun }
}

const isDrop = (text: string): boolean => text.includes('DROP USER')

/** The database `alpha`, with a user `reader`, left on the server; and `beta`. */
async function worldWithResidue(dialect?: Parameters<typeof startServerWorld>[0]): Promise<ServerWorld> {
  const world = await startServerWorld(dialect)
  await world.createServer()
  await world.create('alpha')
  await world.create('beta')
  await createUser(world, 'alpha')
  world.silence()
  await world.databases.handlers['database:destroy']({
    call: world.call(),
    input: { slug: 'alpha', offline: true },
  })
  world.silence(false)
  return world
}

forEachDialect('nobody begins to use a name that a converge is about to drop', async (dialect) => {
  await using world = await worldWithResidue(dialect)
  const hook = before(world, isDrop, async () => {
    const busy = { code: 'database.server_busy' }
    await assert.rejects(createDatabase(world, 'alpha', impatient(world)), busy)
    await assert.rejects(createUser(world, 'beta', impatient(world)), busy)
  })
  assert.equal(await converge(world), 'applied')
  assert.ok(hook.hasRun())
  assert.deepEqual(world.onServer(), ['db.beta', 'user.beta'])
  await createDatabase(world, 'alpha')
  await createUser(world, 'beta')
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), ['db.alpha', 'db.beta', 'user.alpha', 'user.beta', 'user.reader'])
})

test('a database and a user that were created under the names of a residue stay', async () => {
  await using world = await worldWithResidue()
  const { db } = world.deps.store
  const [residue] = await residuesOn(db, world.node.id)
  assert.equal(await converge(world), 'applied')
  // A gateway that died after the server had dropped it, and before the residue was forgotten.
  await insertResidue(db, residue ?? assert.fail())
  await createDatabase(world, 'alpha')
  await createUser(world, 'beta')
  const all = world.onServer()
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), all)
})

test('test databases of a database stay whose names begin as those of a residue [DBS-049]', async () => {
  await using world = await startServerWorld()
  await world.createServer()
  await world.create('shop', await world.addInstance('default'))
  const record = (await findConnection(world.deps.store.db, 'shop')) ?? assert.fail()
  await world.deps.store.transaction((db) => leaveBehind(world.deps, db, record))
  await world.create('shop-test-next', await world.addInstance('next'))
  for (const database of ['shop_test_1', 'shop_test_next_test_1']) world.put(`db.${database}`)
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), [
    'db.shop_test_next',
    'db.shop_test_next_test',
    'db.shop_test_next_test_1',
    'user.shop_next',
  ])
})

test('a residue on a server whose names another request changes waits for the next converge', async () => {
  await using world = await worldWithResidue()
  const { deps, node, call } = world
  await holding(deps.store, call(), lockOf('databaseServer', 'main'), async () => {
    const result = await converge(world)
    assert.equal(typeof result === 'string' ? result : result.skipped, 'database.server_busy')
  })
  assert.equal((await residuesOn(deps.store.db, node.id)).length, 1)
  assert.equal(await converge(world), 'applied')
  assert.deepEqual(world.onServer(), ['db.beta', 'user.beta'])
})
