import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { connectionById } from '#/databases/owned/queries.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { creationLog, type DatabaseCreation, databaseCreation } from '#/databases/owned/steps/creation.ts'
import { databaseRemoval, type DatabaseRemoval } from '#/databases/owned/steps/removal.ts'
import { sealPassword } from '#/databases/password.ts'
import { findConnection, insertConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { type ServerWorld, startServerWorld } from '#/databases/servers/world.test.ts'

type World = DatabaseCreation & { readonly world: ServerWorld }

async function reserved(
  { deps }: ServerWorld,
  server: ServerRecord,
  owner: number,
): Promise<ConnectionRecord> {
  const { db, cipher } = deps.store
  const inserted = await insertConnection(db, {
    slug: 'shop-feature',
    driver: 'mysql',
    host: '10.44.0.7',
    port: 3306,
    database_name: 'shop_feature',
    username: 'shop_feature',
    server_id: server.id,
    owner_instance_id: owner,
    test_database: 'shop_feature_test',
    pending_step: RESERVED,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  if (!inserted) throw new Error('the record of the test is gone')
  const password = sealPassword(cipher, inserted.id, 'canary')
  const record = await updateConnection(db, inserted.id, { password })
  if (!record) throw new Error('the record of the test is gone')
  return record
}

async function fresh(): Promise<World> {
  const world = await startServerWorld()
  const { deps } = world
  const server = await world.createServer()
  const { id } = await world.addInstance('feature')
  const instance = await deps.instances.find(id)
  return { world, deps, call: world.call(), server, instance, record: await reserved(world, server, id) }
}

/** What is not the progress of the list: a record that is to be undone is gone only after its last step. */
const view = async ({ world, instance }: Pick<World, 'world' | 'instance'>): Promise<unknown> => {
  const { db } = world.deps.store
  const rows = await db.selectFrom('database_connections').select(['slug', 'pending_step']).execute()
  return [
    rows.filter((row) => row.pending_step === null),
    world.onServer(),
    instance && Object.keys(Object.fromEntries(await world.environment.stored(instance.id))),
    await db.selectFrom('database_attachments').select(['prefix', 'slug']).execute(),
  ]
}

testStepList<World>('owned-database-creation', {
  list: databaseCreation,
  fresh,
  view,
  log: creationLog,
  // Undone to its record, it is a new request.
  again: async (context) => {
    const record = await connectionById(context.deps.store.db, context.record.id)
    if (record) return record.pending_step === null ? undefined : { ...context, record }
    const { world, server, instance } = context
    return { ...context, record: await reserved(world, server, instance?.id ?? 0) }
  },
  close: ({ world }) => world[Symbol.asyncDispose](),
})

test('a creation that another request has finished writes none of its steps over that', async () => {
  const context = await fresh()
  const { db } = context.deps.store
  const { id } = context.record
  await updateConnection(db, id, { pending_step: null })
  await creationLog(context).record('names', 'done')
  assert.equal((await connectionById(db, id))?.pending_step, null)
  await context.world[Symbol.asyncDispose]()
})

testStepList<DatabaseRemoval & { readonly world: ServerWorld; readonly instance: undefined }>(
  'owned-database-removal',
  {
    list: databaseRemoval,
    fresh: async () => {
      const world = await startServerWorld()
      const server = await world.createServer()
      await world.create('shop')
      world.put('db.other')
      const record = await findConnection(world.deps.store.db, 'shop')
      if (!record) throw new Error('the record of the test is gone')
      const removal = { deps: world.deps, call: world.call(), server, record, dropped: [] }
      return { world, instance: undefined, ...removal }
    },
    view,
    again: async (context) =>
      (await connectionById(context.deps.store.db, context.record.id)) ? context : undefined,
    close: ({ world }) => world[Symbol.asyncDispose](),
  },
)
