import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import { MigrationFailed, newAppKey, type NewRow, WrongKey } from '#/index.ts'

const node = (name: string): NewRow<'nodes'> => ({
  name,
  status: 'active',
  user: 'fleet',
  user_home: '/home/fleet',
  ssh_port: 22,
  created_at: '2026-01-02T03:04:05.000Z',
})

forEachDialect('records are there after the store was closed and opened again', async (dialect) => {
  await using database = await makeTestDatabase(dialect)
  {
    await using store = await openTestStore({ database })
    await store.db.insertInto('nodes').values(node('web-1')).execute()
  }
  await using again = await openTestStore({ database })
  const row = await again.db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow()
  const unset = {
    platform: null,
    architecture: null,
    tld: null,
    cluster_id: null,
    public_ssh_host: null,
    public_ssh_port: null,
    wireguard_ip: null,
    wireguard_public_key: null,
    wireguard_endpoint_override: null,
    dns_server_override: null,
    lan_ip: null,
    ssh_host_fingerprint: null,
    apps_path: null,
    failed_step: null,
    error_code: null,
    agent_secret_hash: null,
    removal: null,
    updating: null,
    provisioned_at: null,
  }
  // Compared whole: both dialects give plain objects with numbers for identities.
  assert.deepEqual(row, { id: 1, ...node('web-1'), ...unset })
})

forEachDialect('another application key is refused and writes nothing', async (dialect) => {
  await using database = await makeTestDatabase(dialect)
  {
    await using store = await openTestStore({ database })
    await using _ = await store.locks.acquire({
      name: 'a',
      operation: 'x',
      requestId: 'r',
      waitMilliseconds: 0,
      leaseSeconds: 60,
    })
    await store.db.insertInto('locks').values(foreignLock).execute()
  }
  await assert.rejects(openTestStore({ database, key: newAppKey() }), (error: unknown) => {
    assert.ok(error instanceof WrongKey)
    assert.match(error.message, /restore FLEET_HOME\/app\.key or set APP_KEY/)
    return true
  })
  await using store = await openTestStore({ database, gatewayId: 'other' })
  const { count } = await store.db
    .selectFrom('locks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  assert.equal(count, 1)
})

const foreignLock: NewRow<'locks'> = {
  name: 'b',
  token: 't',
  gateway: 'test-gateway',
  operation: 'x',
  request_id: 'r',
  since: '2026-01-02T03:04:05.000Z',
  expires_at: '2026-01-02T03:05:05.000Z',
}

// A SQLite file belongs to one gateway.
forEachDialect(
  'gateways that start at once on an empty database all succeed',
  ['postgres'],
  async (dialect) => {
    await using database = await makeTestDatabase(dialect, 'empty')
    await using stores = new AsyncDisposableStack()
    const open = async (gatewayId: string): Promise<void> =>
      void stores.use(await openTestStore({ database, gatewayId }))
    await Promise.all(['a', 'b', 'c'].map(open))
    await using store = await openTestStore({ database })
    assert.deepEqual(await store.db.selectFrom('facts').select('name').execute(), [
      { name: 'application_key' },
    ])
  },
)

forEachDialect(
  'a connection that the server ends between two queries fails its holder and nobody else',
  ['postgres'],
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const work = store.db.connection().execute(async (held) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(held)
      const pid = rows[0]?.pid
      await sql`select pg_terminate_backend(${pid})`.execute(store.db)
      const alive = async (): Promise<number> =>
        (await sql`select from pg_stat_activity where pid = ${pid}`.execute(store.db)).rows.length
      while ((await alive()) > 0);
      await sql`select 1`.execute(store.db)
      await sql`select 2`.execute(held)
    })
    await assert.rejects(work)
    assert.deepEqual((await sql`select 3 as three`.execute(store.db)).rows, [{ three: 3 }])
  },
)

forEachDialect('a database that a newer version migrated is refused with a reason', async (dialect) => {
  await using database = await makeTestDatabase(dialect, 'empty')
  {
    await using store = await openTestStore({ database })
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2027-01-01')`.execute(
      store.db,
    )
  }
  await assert.rejects(openTestStore({ database }), (error: unknown) => {
    assert.ok(error instanceof MigrationFailed)
    assert.match(error.message, /9999-later/)
    return true
  })
})

forEachDialect('an identity is never used twice', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const insert = async (): Promise<number> =>
    (await store.db.insertInto('nodes').values(node('web-1')).returning('id').executeTakeFirstOrThrow()).id
  const first = await insert()
  await store.db.deleteFrom('nodes').execute()
  assert.equal(await insert(), first + 1)
})

forEachDialect('texts are ordered by their bytes', async (dialect) => {
  await using store = await openTestStore({ dialect })
  for (const name of ['b', 'A', 'a-1', 'a', 'ä', 'Z'])
    await store.db.insertInto('nodes').values(node(name)).execute()
  const rows = await store.db.selectFrom('nodes').select('name').orderBy('name').execute()
  assert.deepEqual(
    rows.map((row) => row.name),
    ['A', 'Z', 'a', 'a-1', 'b', 'ä'],
  )
})

forEachDialect('a column refuses a value of another type', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const insert = sql`insert into facts (name, value) values ('n', ${Buffer.from('bytes')})`
  const wrong = dialect === 'sqlite' ? insert : sql`insert into node_grants values ('x', 'y', 'z')`
  await assert.rejects(wrong.execute(store.db))
})

test('the file and its side files are for their owner alone', async () => {
  await using database = await makeTestDatabase('sqlite', 'empty')
  await using _ = await openTestStore({ database })
  assert.ok('file' in database.location)
  const { file } = database.location
  const modes = [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode & 0o777)
  assert.deepEqual(modes, [0o600, 0o600, 0o600])
})

test('an unreachable PostgreSQL is an error that does not show the password', async () => {
  const location = { url: 'postgres://fleet:canary-password@localhost/fleet?host=/nowhere' }
  const database = { dialect: 'postgres', location, [Symbol.asyncDispose]: async () => {} } as const
  await assert.rejects(openTestStore({ database }), (error: unknown) => {
    assert.ok(error instanceof Error)
    assert.equal(`${error.message} ${error.stack} ${JSON.stringify(error)}`.includes('canary'), false)
    return true
  })
})

test('a key that is not 32 bytes in base64 is refused before anything is opened', async () => {
  const key = new Secret('base64:c2hvcnQ=')
  await assert.rejects(openTestStore({ key }), { name: 'AppKeyInvalid' })
})
