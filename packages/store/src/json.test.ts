import assert from 'node:assert/strict'
import { addActivity, addNode, forEachDialect, openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import { fixedInsert } from '#/fixed-query.ts'

const UPDATING = {
  kind: 'fleet_rollout',
  since: '2026-01-02T03:04:05.000Z',
  rollout: '7',
  release: null,
} as const

forEachDialect('a JSON column holds the value that was written, null included', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { id, updating } = await addNode(store, { updating: UPDATING })
  assert.deepEqual(updating, UPDATING)
  const read = () =>
    store.db.selectFrom('nodes').select(['id', 'updating']).where('id', '=', id).executeTakeFirst()
  assert.deepEqual(await read(), { id, updating: UPDATING })
  await store.transaction((db) => db.updateTable('nodes').set({ updating: null }).execute())
  assert.deepEqual(await read(), { id, updating: null })
  await store.db.updateTable('nodes').set({ updating: UPDATING }).execute()
  const { rows } = await sql<{ stored: string }>`select cast(updating as text) as stored from nodes`.execute(
    store.db,
  )
  assert.deepEqual(rows, [{ stored: JSON.stringify(UPDATING) }])
})

forEachDialect('lists, and a conflict that updates, are written as JSON too', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const row = { name: 'a', value: 'text stays text: ["x"]' }
  await store.db.insertInto('facts').values(row).execute()
  assert.deepEqual(await store.db.selectFrom('facts').selectAll().where('name', '=', 'a').execute(), [row])
  const properties = { names: ['a', { b: [1, null] }], 'a "quoted" key': "it's" }
  await addActivity(store, { properties })
  await addActivity(store)
  const stored = await store.db.selectFrom('activities').select('properties').orderBy('id').execute()
  assert.deepEqual(stored, [{ properties }, { properties: {} }])
})

forEachDialect('a fixed insert writes them as well', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const columns = ['request_id', 'command', 'status', 'properties', 'occurred_at'] as const
  const insert = fixedInsert(columns, (db, rows) => db.insertInto('activities').values(rows))
  const row = { request_id: 'a', command: 'node:list', status: 'succeeded', occurred_at: UPDATING.since }
  for (const number of [1, 2]) await insert(store.db, [{ ...row, properties: { number, list: [number] } }])
  const stored = await store.db.selectFrom('activities').select('properties').orderBy('id').execute()
  assert.deepEqual(stored, [
    { properties: { number: 1, list: [1] } },
    { properties: { number: 2, list: [2] } },
  ])
})
