import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { insertConnection } from '#/databases/queries.ts'
import { type ServerWorld, startServerWorld } from '#/databases/servers/world.test.ts'

/** An Instance with a checkout that Git knows, and the text of its testing file after a synchronization. */
async function start() {
  const world = await startServerWorld()
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-testing-')))
  const checkout = join(home, 'apps', 'shop', 'feature')
  mkdirSync(checkout, { recursive: true })
  assert.equal(spawnSync('git', ['init', '-q', checkout]).status, 0)
  const { db } = world.deps.store
  await db.updateTable('nodes').set({ user: userInfo().username, user_home: home }).execute()
  const { id } = await world.addInstance('feature')
  const profile = { application_directory: '', framework: null, php: false }
  await db.updateTable('instances').set({ checkout_path: checkout, profile }).where('id', '=', id).execute()
  return {
    world,
    id,
    synced: async () => {
      await world.environment.handlers['env:sync']({ call: world.call(), input: { instance: id } })
      return readFileSync(join(checkout, '.env.testing'), 'utf8')
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const attach = (world: ServerWorld, instance: number, slug: string, prefix = 'DB') =>
  world.databases.handlers['instance:database:add']({ call: world.call(), input: { instance, slug, prefix } })

test('the testing file of an Instance that owns its DB database names the test database on the server [DB-027]', async () => {
  await using owner = await start()
  const { world, id } = owner
  await world.createServer()
  await world.create('shop-feature', { id })
  const password = (await world.environment.stored(id)).get('DB_PASSWORD') ?? ''
  assert.equal(
    await owner.synced(),
    [
      'APP_ENV="testing"',
      'DB_CONNECTION="mysql"',
      'DB_DATABASE="shop_feature_test"',
      `DB_HOST="${world.node.wireguard_ip}"`,
      `DB_PASSWORD="${password}"`,
      'DB_PORT="3306"',
      'DB_USERNAME="shop_feature"',
      '',
    ].join('\n'),
  )
})

test('a database of somebody else, or one under another prefix, makes no testing file [DB-027]', async () => {
  await using owner = await start()
  const { world, id } = owner
  await world.createServer()
  await world.create('shared')
  await world.create('own', { id })
  await attach(world, id, 'own', 'MINE')
  await attach(world, id, 'shared')
  await assert.rejects(owner.synced(), { code: 'ENOENT' })
})

test('tests of an Instance with a SQLite file of its own run in memory, with no other key of DB [DB-027]', async () => {
  await using owner = await start()
  const { world, id } = owner
  await insertConnection(world.deps.store.db, {
    slug: 'shop-feature',
    driver: 'sqlite',
    path: '/srv/shop.sqlite',
    owner_instance_id: id,
    test_database: ':memory:',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  await attach(world, id, 'shop-feature')
  assert.equal(await owner.synced(), 'APP_ENV="testing"\nDB_CONNECTION="sqlite"\nDB_DATABASE=":memory:"\n')
})
