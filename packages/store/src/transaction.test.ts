import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import type { Database, Store } from '#/index.ts'

const names = async (db: Database): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('facts')
    .select('name')
    .where('name', '<>', 'application_key')
    .orderBy('name')
    .execute()
  return rows.map((row) => row.name)
}
const add = (db: Database, name: string): Promise<unknown> =>
  db.insertInto('facts').values({ name, value: '' }).execute()

/** A transaction that has written `a` and waits for the decision how to end. */
const openTransaction = async (
  store: Store,
): Promise<{ end: (error?: Error) => void; done: Promise<void> }> => {
  const written = Promise.withResolvers<void>()
  const ending = Promise.withResolvers<void>()
  const done = store.transaction(async (db) => {
    await add(db, 'a')
    written.resolve()
    await ending.promise
    await add(db, 'b')
  })
  await written.promise
  return { end: (error) => (error ? ending.reject(error) : ending.resolve()), done }
}

forEachDialect('a transaction is seen whole or not at all', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { end, done } = await openTransaction(store)
  assert.deepEqual(await names(store.db), [])
  end()
  await done
  assert.deepEqual(await names(store.db), ['a', 'b'])
})

forEachDialect('a failed transaction leaves nothing and passes its error on', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { end, done } = await openTransaction(store)
  end(new Error('no'))
  await assert.rejects(done, /^Error: no$/)
  assert.deepEqual(await names(store.db), [])
  await add(store.db, 'c')
  assert.deepEqual(await names(store.db), ['c'])
})

forEachDialect('a write beside an open transaction is not part of it', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { end, done } = await openTransaction(store)
  const beside = [add(store.db, 'c'), add(store.relaxed, 'd')]
  end(new Error('no'))
  await assert.rejects(done)
  await Promise.all(beside)
  assert.deepEqual(await names(store.db), ['c', 'd'])
})

forEachDialect('transactions that read and then write the same row follow one another', async (dialect) => {
  await using store = await openTestStore({ dialect })
  await store.db.insertInto('facts').values({ name: 'count', value: '0' }).execute()
  const increment = (): Promise<void> =>
    store.transaction(async (db) => {
      const read = db.selectFrom('facts').select('value').where('name', '=', 'count')
      const { value } = await (dialect === 'postgres' ? read.forUpdate() : read).executeTakeFirstOrThrow()
      await nextTurn()
      await db
        .updateTable('facts')
        .set({ value: `${Number(value) + 1}` })
        .where('name', '=', 'count')
        .execute()
    })
  await Promise.all(Array.from({ length: 20 }, increment))
  const { value } = await store.db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', 'count')
    .executeTakeFirstOrThrow()
  assert.equal(value, '20')
})

forEachDialect('a savepoint undoes a part of a transaction', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const transaction = await store.db.startTransaction().execute()
  await add(transaction, 'a')
  const saved = await transaction.savepoint('here').execute()
  await add(saved, 'b')
  await saved.rollbackToSavepoint('here').execute()
  await add(transaction, 'c')
  await transaction.commit().execute()
  assert.deepEqual(await names(store.db), ['a', 'c'])
})

forEachDialect(
  'a write past the handle of an open transaction is refused instead of waiting for ever',
  ['sqlite'],
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await store.transaction(async (db) => {
      await add(db, 'a')
      await assert.rejects(add(store.db, 'b'), /through its own handle/)
      await assert.rejects(add(store.relaxed, 'b'), /through its own handle/)
      await assert.rejects(
        store.transaction(async () => {}),
        /through its own handle/,
      )
      assert.deepEqual(await names(store.db), [])
    })
    await add(store.db, 'c')
    assert.deepEqual(await names(store.db), ['a', 'c'])
  },
)

test('rows arrive one by one, in a transaction too', async () => {
  await using store = await openTestStore({ dialect: 'sqlite' })
  for (const name of ['a', 'b', 'c']) await add(store.db, name)
  const collect = async (db: Database): Promise<readonly string[]> => {
    const found: string[] = []
    for await (const row of db.selectFrom('facts').select('name').where('value', '=', '').stream())
      found.push(row.name)
    return found
  }
  assert.deepEqual(await collect(store.db), ['a', 'b', 'c'])
  await store.transaction(async (db) => {
    await add(db, 'd')
    assert.deepEqual(await collect(db), ['a', 'b', 'c', 'd'])
  })
})

test('more query texts than are kept prepared still answer right', async () => {
  await using store = await openTestStore({ dialect: 'sqlite' })
  for (const round of [1, 2]) {
    for (let column = 0; column < 600; column += 1) {
      const { rows } = await sql<{ n: number }>`select ${sql.lit(column)} + ${round} as n`.execute(store.db)
      assert.deepEqual(rows, [{ n: column + round }])
    }
  }
})

test('a commit waits for the disk, a relaxed one only for the file', async () => {
  await using store = await openTestStore({ dialect: 'sqlite' })
  const synchronous = async (db: Store['db']): Promise<unknown> =>
    (await sql`pragma synchronous`.execute(db)).rows
  const [normal, full] = [[{ synchronous: 1 }], [{ synchronous: 2 }]]
  assert.deepEqual(await synchronous(store.db), full)
  assert.deepEqual(await synchronous(store.relaxed), normal)
  assert.deepEqual(await synchronous(store.db), full)
  await store.relaxed.transaction().execute(async (db) => assert.deepEqual(await synchronous(db), normal))
})

test('what is committed is in the file for another process at once', async () => {
  await using database = await makeTestDatabase('sqlite')
  await using store = await openTestStore({ database })
  await add(store.relaxed, 'a')
  await using other = await openTestStore({ database, gatewayId: 'other' })
  assert.deepEqual(await names(other.db), ['a'])
})
