import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDialect, openTestStore } from '@fleet/testing'
import { type Database, fixedInsert, fixedQuery, type NewRow } from '#/index.ts'

const fact = (name: string, value: string): NewRow<'facts'> => ({ name, value })

const between = () =>
  fixedQuery((db: Database, last: string, first: string) =>
    db
      .selectFrom('facts')
      .select('value')
      .where('name', '>=', first)
      .where('name', '<=', last)
      .where('value', '<>', 'hidden')
      .orderBy('name'),
  )

forEachDialect(
  'every run of a fixed query binds its own values, and those of its text each time',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const rows = [fact('test.a', '1'), fact('test.b', '2'), fact('test.c', 'hidden'), fact('test.d', '4')]
    await store.db.insertInto('facts').values(rows).execute()
    const query = between()
    assert.deepEqual(await query(store.db, 'test.d', 'test.a'), [
      { value: '1' },
      { value: '2' },
      { value: '4' },
    ])
    assert.deepEqual(await query(store.db, 'test.c', 'test.b'), [{ value: '2' }])
  },
)

forEachDialect('a fixed query in a transaction reads what the transaction wrote', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const query = between()
  assert.deepEqual(await query(store.db, 'test.z', 'test.a'), [])
  await store.transaction(async (db) => {
    await db.insertInto('facts').values(fact('test.a', '1')).execute()
    assert.deepEqual(await query(db, 'test.z', 'test.a'), [{ value: '1' }])
  })
})

test('the text of a fixed query is made once for a database and its transactions', async () => {
  await using store = await openTestStore()
  let built = 0
  const query = fixedQuery((db: Database, name: string) => {
    built += 1
    return db.selectFrom('facts').select('value').where('name', '=', name)
  })
  await query(store.db, 'a')
  await query(store.db, 'b')
  await store.transaction((db) => query(db, 'c'))
  assert.equal(built, 1)
})

forEachDialect('a fixed insert stores each row under its columns, whatever their order', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const insert = fixedInsert(['name', 'value'], (db: Database, rows) => db.insertInto('facts').values(rows))
  await insert(store.db, [fact('test.a', '1'), { value: '2', name: 'test.b' }])
  await insert(store.db, [{ value: '3', name: 'test.c' }, fact('test.d', '4')])
  await insert(store.db, [fact('test.e', '5')])
  const rows = await store.db
    .selectFrom('facts')
    .selectAll()
    .where('name', 'like', 'test.%')
    .orderBy('name')
    .execute()
  assert.deepEqual(
    rows,
    ['a', 'b', 'c', 'd', 'e'].map((letter, index) => fact(`test.${letter}`, String(index + 1))),
  )
})
