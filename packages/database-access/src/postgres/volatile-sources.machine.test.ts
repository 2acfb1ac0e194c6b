import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBarePostgres } from '@fleet/testing'
import { Client } from 'pg'
import { namesOfVolatile } from './volatile-sources.ts'

test('every volatile function of a new server is known by its source, with each of its names', async () => {
  const server = await startBarePostgres({ settings: [] })
  const client = new Client(server.url)
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly source: string; readonly names: readonly string[] }>(
      `select prosrc as source, array_agg(distinct proname::text) as names from pg_proc p join pg_language l on l.oid = p.prolang
        where p.oid < 16384 and l.lanname = 'internal' and p.provolatile = 'v' group by 1`,
    )
    assert.ok(rows.length > 200)
    assert.deepEqual(
      rows.map(({ source, names }) => [source, names.toSorted()]),
      rows.map(({ source }) => [source, namesOfVolatile(source)?.toSorted()]),
    )
  } finally {
    await client.end()
    await server.stop()
  }
})
