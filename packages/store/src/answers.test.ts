import assert from 'node:assert/strict'
import { systemClock } from '@fleet/kernel'
import { forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { makeAnswers } from '#/answers.ts'
import { openPostgres } from '#/postgres/open.ts'

forEachDialect('a store that is read and written answers', async (dialect) => {
  await using store = await openTestStore({ dialect })
  assert.equal(await store.answers(), true)
})

forEachDialect(
  'a database that takes no write does not answer, though it is read',
  ['postgres'],
  async () => {
    await using database = await makeTestDatabase('postgres')
    assert.ok('url' in database.location)
    await using store = await openTestStore({ database })
    assert.equal(await store.answers(), true)
    // Of this connection alone: the database is that of other tests too.
    const url = new URL(database.location.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    await using db = openPostgres(url.href, [])
    await db.selectFrom('facts').select('name').execute()
    assert.equal(await makeAnswers(db, 'postgres', systemClock)(), false)
  },
)
