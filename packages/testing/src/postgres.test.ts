import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Client } from 'pg'
import { startPostgres } from '#/postgres.ts'

test('a server of its own takes connections at once and leaves nothing behind', async () => {
  const server = await startPostgres()
  const socketFolder = new URL(server.url).searchParams.get('host') ?? ''
  const client = new Client(server.url)
  await client.connect()
  const { rows } = await client.query<{ listen: string }>(
    `select current_setting('listen_addresses') as listen`,
  )
  await client.end()
  assert.deepEqual(rows, [{ listen: '' }])
  await server.stop()
  assert.equal(existsSync(socketFolder), false)
  await assert.rejects(new Client(server.url).connect())
})
