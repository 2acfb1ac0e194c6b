import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startPostgres } from '@fleet/testing'
import { Client } from 'pg'
import type { Ask } from './ask.ts'
import { type EmbeddedFleet, startEmbedded } from './harness.ts'

const PATH = '/api/v1/database-connections'
const PASSWORD = 'canary-Pa55word'

async function send(fleet: EmbeddedFleet, method: string, path: string, options?: Ask) {
  const { status, text } = await fleet.ask(method, `${PATH}${path}`, options)
  return { status, text, json: JSON.parse(text) }
}

const query = (fleet: EmbeddedFleet, slug: string, sql: string, write = false) =>
  send(fleet, 'POST', `/${slug}/query`, { body: { sql, ...(write ? { write } : {}) } })

/** A PostgreSQL of this machine with a user of a password, on a port of the loopback. */
async function startServer() {
  const postgres = await startPostgres()
  const directory = new URL(postgres.url).searchParams.get('host') ?? ''
  const main = new Client({ connectionString: postgres.url })
  await main.connect()
  await main.query('create database shop')
  await main.end()
  const url = new URL(postgres.url)
  url.pathname = '/shop'
  const admin = new Client({ connectionString: url.href })
  await admin.connect()
  await admin.query(`create role reader login superuser password '${PASSWORD}'`)
  await admin.query('create table orders (id bigint primary key, note text not null default $$x$$)')
  await admin.query('insert into orders select n, $$note $$ || n from generate_series(1, 600) n')
  const sockets = new Set<Socket>()
  // The server listens on a Unix socket alone; a fleet knows ports.
  const front = createServer((socket) => {
    const inner = connect(join(directory, '.s.PGSQL.5432'))
    for (const end of [socket, inner]) {
      sockets.add(end)
      end.on('error', () => undefined)
    }
    socket.pipe(inner).pipe(socket)
    socket.on('close', () => inner.destroy())
    inner.on('close', () => socket.destroy())
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    admin,
    port: (front.address() as AddressInfo).port, // A listening TCP server has an address object.
    /** Statements of the fleet that the server runs right now. */
    running: async () => {
      const { rows } = await admin.query(
        "select query from pg_stat_activity where usename = 'reader' and state = 'active'",
      )
      return rows.length
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      front.close()
      await admin.end()
      await postgres.stop()
    },
  }
}

test('a PostgreSQL of this machine is registered and read, over the own network and through a Node; only a write changes it [DB-045, DB-046, DB-047, DB-048, DB-055, DB-056, DB-057, DB-058, DB-070, DB-071]', async () => {
  await using server = await startServer()
  await using fleet = await startEmbedded({ sample: false })
  const login = {
    host: '127.0.0.1',
    port: server.port,
    database: 'shop',
    username: 'reader',
    password: PASSWORD,
  }
  const through = { node_id: fleet.nodeId('node-1') }
  for (const [slug, more] of [
    ['direct', {}],
    ['behind', through],
  ] as const) {
    const made = await send(fleet, 'POST', '', { body: { slug, driver: 'pgsql', ...login, ...more } })
    assert.equal(made.status, 201, made.text)
    const { json, text } = await query(fleet, slug, 'select id, note from orders order by id')
    assert.equal(json.data?.row_count, 500, text)
    assert.deepEqual([json.data.truncated, json.data.columns], [true, ['id', 'note']])
    assert.deepEqual(json.data.rows[0].note, 'note 1')
    const refused = await query(fleet, slug, 'delete from orders')
    assert.deepEqual([refused.status, refused.json.error.code], [422, 'database.write_required'])
    const two = await query(fleet, slug, 'select 1; select 2')
    assert.deepEqual([two.status, two.json.error.code], [422, 'database.sql_multiple_statements'])
    const wrong = await query(fleet, slug, 'select nope from orders')
    assert.deepEqual([wrong.status, wrong.json.error.code], [502, 'database.query_failed'])
    assert.equal(wrong.json.error.details.condition, '42703', wrong.text)
    const tables = await send(fleet, 'GET', `/${slug}/tables`)
    assert.deepEqual(tables.json.data.tables, ['orders'], tables.text)
    const described = await send(fleet, 'GET', `/${slug}/describe/orders`)
    assert.deepEqual(
      described.json.data.columns.map(({ name, primary }: { name: string; primary: boolean }) => [
        name,
        primary,
      ]),
      [
        ['id', true],
        ['note', false],
      ],
    )
    const schema = await send(fleet, 'GET', `/${slug}/schema`)
    assert.deepEqual(schema.json.data.tables, [{ name: 'orders', columns: described.json.data.columns }])
    const missing = await send(fleet, 'GET', `/${slug}/describe/nope`)
    assert.deepEqual([missing.status, missing.json.error.code], [404, 'database.table_missing'])
    const redacted = await query(fleet, slug, `select 'my ${PASSWORD}!' as a`)
    assert.deepEqual(redacted.json.data.rows, [{ a: 'my [REDACTED]!' }])
  }
  const changed = await query(fleet, 'behind', 'update orders set note = upper(note) where id <= 3', true)
  assert.deepEqual([changed.json.data?.row_count, changed.json.data?.write], [3, true], changed.text)
})

const ENDLESS = 'with recursive n(i) as (select 1 union all select 1 from n) select count(*) from n'

test('a statement that runs for ever ends at the server at once when its caller has gone, and at its time when the gateway is killed', async () => {
  await using server = await startServer()
  await using left = await startEmbedded({ sample: false })
  await using killed = await startEmbedded({ sample: false })
  const login = { host: '127.0.0.1', port: server.port, database: 'shop', username: 'reader' }
  for (const fleet of [left, killed]) {
    const body = {
      slug: 'behind',
      driver: 'pgsql',
      ...login,
      password: PASSWORD,
      node_id: fleet.nodeId('node-1'),
    }
    await send(fleet, 'POST', '', { body })
  }
  const leaving = new AbortController()
  const gone = goAway(left, ENDLESS, leaving.signal)
  await until(async () => (await server.running()) === 1)
  leaving.abort()
  // Half of the statement's own 30 seconds.
  await Promise.all([gone, until(async () => (await server.running()) === 0, 15_000)])
  void query(killed, 'behind', ENDLESS).catch(() => undefined)
  await until(async () => (await server.running()) === 1)
  await killed.end('SIGKILL')
  await until(async () => (await server.running()) === 0, 60_000)
})

async function until(holds: () => Promise<boolean>, milliseconds = 10_000): Promise<void> {
  const end = performance.now() + milliseconds
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'what the test waits for did not happen')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Sends the statement and hangs up at the signal. */
async function goAway(fleet: EmbeddedFleet, sql: string, signal: AbortSignal): Promise<void> {
  const { request } = await import('node:https')
  const ca = readFileSync(fleet.announced.ca_file)
  const sending = request(`${fleet.announced.base_url}${PATH}/behind/query`, {
    method: 'POST',
    ca,
    headers: { 'content-type': 'application/json' },
    signal,
  })
  sending.end(JSON.stringify({ sql }))
  await once(sending, 'close').catch(() => undefined)
}

test('a SQLite file of a Node is registered, read and written, and nothing of a statement is in an argument list [DB-064, DB-065]', async () => {
  await using fleet = await startEmbedded({ sample: false })
  const home = join(fleet.home, 'nodes', 'node-1', 'data')
  mkdirSync(home, { recursive: true })
  const path = join(home, 'shop.sqlite')
  {
    using file = new DatabaseSync(path)
    file.exec('create table orders (id integer primary key, note text, blob_ blob)')
    file.exec("insert into orders values (1, 'one', x'00ff'), (2, null, null)")
  }
  const slug = 'file'
  const made = await send(fleet, 'POST', '', {
    body: { slug, driver: 'sqlite', path, node_id: fleet.nodeId('node-1') },
  })
  assert.equal(made.status, 201, made.text)
  const seen = new Set<string>()
  const watching = new AbortController()
  const watched = watchArguments(seen, watching.signal)
  const { json, text } = await query(fleet, slug, "select *, 'canary-sql' as c from orders order by id")
  watching.abort()
  await watched
  assert.deepEqual(
    json.data?.rows,
    [
      { id: 1, note: 'one', blob_: { base64: 'AP8=' }, c: 'canary-sql' },
      { id: 2, note: null, blob_: null, c: 'canary-sql' },
    ],
    text,
  )
  assert.ok(
    [...seen].some((line) => line.includes('node-sqlite')),
    'the command was seen',
  )
  for (const line of seen) assert.doesNotMatch(line, /canary-sql|shop\.sqlite|node-sqlite.*[0-9a-f]{64}/)
  const refused = await query(fleet, slug, 'delete from orders')
  assert.deepEqual([refused.status, refused.json.error.code], [422, 'database.write_required'])
  const written = await query(fleet, slug, 'delete from orders where id = 1', true)
  assert.equal(written.json.data?.row_count, 1, written.text)
  const tables = await send(fleet, 'GET', `/${slug}/tables`)
  assert.deepEqual(tables.json.data.tables, ['orders'])
  const described = await send(fleet, 'GET', `/${slug}/describe/orders`)
  assert.equal(described.json.data.columns.length, 3)
})

/** Collects the command line of every process of this machine until the signal. */
async function watchArguments(seen: Set<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const line of commandLines()) seen.add(line)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function commandLines(): readonly string[] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-axo', 'args'], { encoding: 'utf8' }).split('\n')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
}
