import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '@fleet/store'
import { openTestStore } from './store.ts'
import { makeTestDatabase } from './test-database.ts'

interface Compilable {
  compile(): { readonly sql: string }
}

/** How SQLite carries out each query, in its own words, a line for each step. */
export async function sqlitePlans(
  queries: (db: Database) => readonly Compilable[],
): Promise<readonly string[]> {
  await using database = await makeTestDatabase('sqlite')
  assert.ok('file' in database.location)
  await using store = await openTestStore({ dialect: 'sqlite', database })
  const texts = queries(store.db).map((query) => query.compile().sql)
  using raw = new DatabaseSync(database.location.file)
  return texts.map((text) =>
    raw
      .prepare(`explain query plan ${text}`)
      .all()
      .map(({ detail }) => String(detail))
      .join('\n'),
  )
}
