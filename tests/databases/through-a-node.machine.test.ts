import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type DatabaseAccess, openDatabases, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { startPostgres, startTestNode, type TestNode } from '@fleet/testing'
import { Client } from 'pg'
import { reached } from './reached.ts'

const LIMITS = { timeoutMilliseconds: 30_000, lifetimeMilliseconds: 60_000 }

describe('a PostgreSQL behind a Node', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let admin: Client
  let node: TestNode
  let databases: DatabaseAccess
  before(async () => {
    server = await startPostgres()
    admin = new Client(server.url)
    await admin.connect()
  })
  beforeEach(async () => {
    node = await startTestNode()
    databases = openDatabases({ clock: systemClock, ids: systemIds })
  })
  afterEach(async () => {
    await databases[Symbol.asyncDispose]()
    await node[Symbol.asyncDispose]()
    assert.equal(await reached(() => backends(), 0), 0)
  })
  after(async () => {
    await admin.end()
    await server.stop()
  })

  const target = (): ServerTarget => {
    const folder = new URL(server.url).searchParams.get('host') ?? ''
    const socketPath = join(folder, '.s.PGSQL.5432')
    const open = (signal: AbortSignal): ReturnType<ServerTarget['open']> =>
      node.pool.forward(node.target, { socketPath }, { ...LIMITS, signal })
    const login = { username: 'fleet', password: new Secret('not asked for'), database: 'postgres' }
    const spares = { owner: 'shop', version: '1', server: 'behind', open }
    return { engine: 'pgsql', open, ...login, spares }
  }
  const ask = async (sql: string): Promise<unknown> =>
    Object.values(Object((await databases.query(target(), { sql, write: false })).rows[0]))[0]
  const backends = async (state = '%'): Promise<number> => {
    const { rows } = await admin.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name = 'fleet' and state like $1",
      [state],
    )
    return rows[0]?.n ?? -1
  }
  /** The process that is kept ready, once it waits for a statement. */
  const readyProcess = async (): Promise<number | undefined> => {
    let found: number | undefined
    await reached(async () => {
      const { rows } = await admin.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'fleet' and state = 'idle'",
      )
      found = rows[0]?.pid
      return rows.length
    }, 1)
    return found
  }

  test('a statement runs on the connection that was kept ready through its channel, and on a new one after the SSH connection broke', async () => {
    await ask('select 1')
    const first = await readyProcess()
    assert.equal(await ask('select pg_backend_pid()'), first)
    const second = await readyProcess()
    node.pool.forget(node.target.nodeId)
    const third = await ask('select pg_backend_pid()')
    assert.ok(third !== first && third !== second)
    assert.equal(await ask('select 7 as a'), 7)
  })

  test('a statement that runs for ever ends at the server when the SSH connection breaks under it', async () => {
    const endless = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b'
    const work = ask(endless)
    work.catch(() => undefined)
    assert.equal(await reached(() => backends('active'), 1), 1)
    node.pool.forget(node.target.nodeId)
    await assert.rejects(work, { code: 'database.query_failed' })
    assert.equal(await reached(() => backends('active'), 0), 0)
  })
})
