import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { makeTestDatabase, openTestStore } from '@fleet/testing'
import { filtered, ofNodes } from '#/activities/queries.ts'

interface Compilable {
  compile(): { readonly sql: string }
}

/** How SQLite carries out each query in a store without rows. */
async function plansOf(queries: (db: Parameters<typeof filtered>[0]) => readonly Compilable[]) {
  await using database = await makeTestDatabase('sqlite')
  assert.ok('file' in database.location)
  await using store = await openTestStore({ dialect: 'sqlite', database })
  const texts = queries(store.db).map((query) => query.compile().sql)
  using raw = new DatabaseSync(database.location.file)
  return texts.map((text) =>
    raw
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
}

test('rows that have not succeeded are found by their index, whatever has happened before', async () => {
  const states = ['running', 'failed'] as const
  const plans = await plansOf((db) => states.map((status) => filtered(db, { status }).selectAll()))
  for (const plan of plans) {
    assert.match(plan.join('\n'), /USING INDEX activities_unsuccessful/)
    assert.doesNotMatch(plan.join('\n'), /SCAN activities/)
  }
})

test('the newest rows of several Nodes are read along an index and sorted nowhere', async () => {
  const [plan = []] = await plansOf((db) => [ofNodes(db, { limit: 25 }, [1, 2])])
  const text = plan.join('\n')
  assert.match(text, /activities_caller/)
  assert.match(text, /activities_target/)
  assert.doesNotMatch(text, /SCAN activities|TEMP B-TREE/)
})
