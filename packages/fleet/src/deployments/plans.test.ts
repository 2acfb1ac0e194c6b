import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { makeTestDatabase, openTestStore } from '@fleet/testing'
import { runningOnes } from '#/deployments/queries.ts'

test('deployments that run are found by their index, whatever has been deployed before', async () => {
  await using database = await makeTestDatabase('sqlite')
  assert.ok('file' in database.location)
  await using store = await openTestStore({ dialect: 'sqlite', database })
  const { sql } = runningOnes(store.db).compile()
  using raw = new DatabaseSync(database.location.file)
  const plan = raw.prepare(`explain query plan ${sql}`).all()
  assert.match(plan.map(({ detail }) => String(detail)).join('\n'), /INDEX deployments_running$/)
})
