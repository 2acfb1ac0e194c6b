import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import { isFullDisk } from '#/index.ts'

test('a database without room for another page is a full disk, in a transaction and outside of one, and then takes writes again', async () => {
  await using store = await openTestStore({ dialect: 'sqlite' })
  const { db } = store
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
  const pages = rows[0]?.page_count ?? 0
  await sql.raw(`pragma max_page_count = ${pages}`).execute(db)
  const fill = sql`create table filler as select randomblob(100000) as bytes`
  const failures = [
    await fill.execute(db).catch((error: unknown) => error),
    await store.transaction((within) => fill.execute(within)).catch((error: unknown) => error),
  ]
  assert.deepEqual(failures.map(isFullDisk), [true, true])
  await sql.raw(`pragma max_page_count = ${pages + 1000}`).execute(db)
  await fill.execute(db)
})

test('errors of the file system and of PostgreSQL say so too, behind a rollback that failed and as a cause; others do not', () => {
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
  const remote = Object.assign(new Error('full'), { code: '53100' })
  const other = Object.assign(new Error('other'), { code: 'EACCES', errcode: 5 })
  assert.ok(isFullDisk(full) && isFullDisk(remote))
  assert.ok(isFullDisk(new SuppressedError(other, full)))
  assert.ok(isFullDisk(new Error('written', { cause: full })))
  for (const no of [other, new SuppressedError(other, other), undefined, 'full'])
    assert.equal(isFullDisk(no), false)
})
