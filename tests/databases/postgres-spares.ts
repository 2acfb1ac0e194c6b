import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type DatabaseAccess, openDatabases, type ServerTarget } from '@fleet/database-access'
import { type Clock, systemClock, systemIds } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import type { Client } from 'pg'
import { PASSWORD, type PostgresWorld } from './postgres-world.ts'
import { reached } from './reached.ts'

/** What a test does with the connections of one owner. */
interface Spares {
  readonly admin: Client
  readonly databases: DatabaseAccess
  /** Every connection that was opened. */
  readonly streams: readonly Duplex[]
  open(signal: AbortSignal): Promise<Duplex>
  target(version?: string, username?: string): ServerTarget
  /** The first value of an answer. */
  ask(sql: string, write?: boolean, to?: ServerTarget): Promise<unknown>
  /** How many sessions of ours the server has. */
  backends(): Promise<number>
  /** The process that is kept ready, once it waits for a statement. */
  readyProcess(): Promise<number>
}

/** The tests of connections that are kept ready, which are the same for every version. */
export function testPostgresSpares(
  product: string,
  start: () => Promise<PostgresWorld>,
  missing?: string,
): void {
  describe(`fresh connections of ${product}`, { skip: missing ?? false }, () => {
    let world: PostgresWorld
    let spares: Spares
    before(async () => {
      world = await start()
      await world.admin.query(
        'create table slow (id int); create table one (id int); insert into one values (1)',
      )
    })
    after(() => world[Symbol.asyncDispose]())
    beforeEach(async () => {
      spares = sparesOf(world)
      await reached(spares.backends, 0)
      // What is left says more than how much of it.
      const { rows } = await world.admin.query(
        "select state, wait_event, backend_start, state_change, query from pg_stat_activity where application_name = 'fleet'",
      )
      assert.deepEqual(rows, [])
    })
    afterEach(() => spares.databases[Symbol.asyncDispose]())
    for (const [name, proof] of Object.entries(PROOFS)) test(name, () => proof(spares))
    for (const [name, proof] of Object.entries(RENEWALS))
      test(name, async () => {
        // No statement is slow, however busy the machine is.
        const clock = new FakeClock()
        const renewed = { ...sparesOf(world, clock), clock }
        await using _ = renewed.databases
        await proof(renewed)
      })
  })
}

function sparesOf(
  { admin, target: { open: openPlain, ...rest } }: PostgresWorld,
  clock: Clock = systemClock,
): Spares {
  const databases = openDatabases({ clock, ids: systemIds })
  const streams: Duplex[] = []
  const open: Spares['open'] = async (signal) => {
    const stream = await openPlain(signal)
    streams.push(stream)
    return stream
  }
  const target: Spares['target'] = (version = '1', username = 'fleet') => ({
    ...rest,
    open,
    username,
    spares: { owner: 'shop', version, server: 'here', open },
  })
  return {
    admin,
    databases,
    streams,
    open,
    target,
    ask: async (sql, write = false, to = target()) =>
      Object.values(Object((await databases.query(to, { sql, write })).rows[0]))[0],
    backends: () => backends(admin),
    readyProcess: () => readyProcess(admin),
  }
}

async function backends(admin: Client): Promise<number> {
  const { rows } = await admin.query<{ n: number }>(
    "select count(*)::int as n from pg_stat_activity where application_name = 'fleet'",
  )
  return rows[0]?.n ?? -1
}

async function readyProcess(admin: Client): Promise<number> {
  let found: number | undefined
  await reached(async () => {
    const { rows } = await admin.query<{ pid: number }>(READY)
    found = rows[0]?.pid
    return rows.length
  }, 1)
  return found ?? 0
}

/** Its last statement is not that of a caller, whose session takes a moment to be gone. */
const READY = `select pid from pg_stat_activity where application_name = 'fleet' and state = 'idle'
  and (query like '%max_connections%' or query like 'rollback;%' or query = 'discard all')`

const PROOFS: Readonly<Record<string, (spares: Spares) => Promise<void>>> = {
  'a statement runs on the connection that was kept ready, and after one that may leave something the next one runs on another':
    async ({ databases, target, ask, readyProcess }) => {
      await ask('select random()')
      const first = await readyProcess()
      assert.equal(await ask('select pg_backend_pid() + 0 * random()'), first)
      const second = await readyProcess()
      assert.notEqual(second, first)
      assert.equal(await ask('select pg_backend_pid()', true), second)
      assert.deepEqual(
        (await databases.tables(target())).filter((name) => name === 't'),
        ['t'],
      )
    },

  'nothing of one caller reaches the next: settings, role, temporary tables, locks, prepared statements, listening, open transactions':
    async ({ admin, ask, readyProcess }) => {
      const traces = `select json_build_array(current_setting('application_name'), current_setting('work_mem'), current_user,
      current_setting('search_path'), current_setting('timezone'), current_setting('my.own', true),
      (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
      (select count(*) from pg_prepared_statements), (select count(*) from pg_cursors),
      (select count(*) from pg_listening_channels()), pg_my_temp_schema(), lastval_or_null())`
      await admin.query(`create role other; create sequence numbers; create function lastval_or_null() returns bigint
      language plpgsql as $$ begin return lastval(); exception when others then return null; end $$`)
      const fresh = JSON.stringify(await ask(traces, true))
      for (const sql of [
        "set application_name = 'mine'",
        "set work_mem = '2MB'",
        "set my.own = 'mine'",
        'set role other',
        'set session authorization other',
        'set search_path = information_schema',
        'create temporary table mine (id int)',
        'select pg_advisory_lock(1)',
        'prepare mine as select 1',
        'listen mine',
        "select nextval('numbers')",
        'begin',
      ]) {
        await ask(sql, true)
        await readyProcess()
        assert.equal(JSON.stringify(await ask(traces, true)), fresh, sql)
        await readyProcess()
        assert.equal(await ask('select 1 as a'), 1, `a read after ${sql}`)
      }
    },

  'a write is no read-only transaction on a connection that has been warmed, and a read is one': async ({
    admin,
    ask,
    readyProcess,
  }) => {
    await ask('select 1')
    await readyProcess()
    // Until it has been warmed.
    await reached(async () => {
      const { rows } = await admin.query(
        "select 1 from pg_stat_activity where application_name = 'fleet' and query like 'rollback;%'",
      )
      return rows.length
    }, 1)
    await ask('insert into one values (2)', true)
    await readyProcess()
    assert.equal(await ask('show transaction_read_only'), 'on')
    await readyProcess()
    assert.equal(await ask('select count(*) from one'), 2)
  },

  'a connection that was ended at the server is replaced, and the caller does not notice': async ({
    admin,
    streams,
    ask,
    readyProcess,
  }) => {
    for (const end of [
      async () => void (await admin.query(`select pg_terminate_backend(${await readyProcess()})`)),
      async () => void (await readyProcess(), streams.at(-1)?.destroy()),
    ]) {
      await ask('select 1')
      await end()
      assert.equal(await ask('select 7 as a'), 7)
      assert.equal(await ask('insert into slow values (1) returning id', true), 1)
    }
  },

  'a connection on which nothing arrives any more is replaced': async ({ streams, ask, readyProcess }) => {
    await ask('select 1')
    await readyProcess()
    // As a cut that neither end has noticed.
    streams.at(-1)?.removeAllListeners('data').pause()
    assert.equal(await ask('select 7 as a'), 7)
  },

  'all connections of an old version are closed when it changes and when it is dropped': async ({
    databases,
    target,
    ask,
    backends,
    readyProcess,
  }) => {
    await ask('select 1')
    const old = await readyProcess()
    await ask('select 1', false, target('2'))
    assert.notEqual(await readyProcess(), old)
    databases.drop('shop')
    assert.equal(await reached(backends, 0), 0)
  },

  'the statement whose time is over is ended by the connection that is ready, where the login may have no other':
    async ({ admin, databases, target, ask, readyProcess }) => {
      await admin.query(
        `create role narrow login connection limit 20 password '${PASSWORD}'; grant all on slow, t to narrow`,
      )
      const narrow = target('1', 'narrow')
      await ask('select 1', false, narrow)
      const ready = await readyProcess()
      await admin.query('alter role narrow connection limit 2')
      // It takes what is ready; what is opened meanwhile is the second.
      const sleeping = 'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b'
      const work = databases.query(narrow, { sql: sleeping, write: false }, { timeoutMilliseconds: 700 })
      await assert.rejects(work, { details: { reason: 'time' } })
      // By itself it would run for hours; a busy server takes a moment to end it.
      const running = async (): Promise<number> =>
        (await admin.query('select 1 from pg_stat_activity where pid = $1', [ready])).rows.length
      assert.equal(await reached(running, 0), 0)
    },

  'a login whose connections are all taken by the ready ones gets its statement through': async ({
    admin,
    open,
    target,
    ask,
    readyProcess,
  }) => {
    await admin.query(`create role few login password '${PASSWORD}'; grant all on slow, t to few`)
    const few = target('1', 'few')
    await ask('select 1', false, few)
    await readyProcess()
    await admin.query('alter role few connection limit 1')
    // Another connection of the fleet to the same server, which has nothing ready of its own.
    const other: ServerTarget = { ...few, spares: { owner: 'other', version: '1', server: 'here', open } }
    assert.equal(await ask('select 7 as a', false, other), 7)
  },
}

const PROCESS = 'select pg_backend_pid()'
/** All settings of a session, as a write sees them: it brings the same of its own each time. */
const SETTINGS = 'select json_object_agg(name, setting order by name) from pg_settings'

const RENEWALS: Readonly<Record<string, (spares: Spares & { readonly clock: FakeClock }) => Promise<void>>> =
  {
    'a read that leaves nothing hands its connection on, to reads and writes alike': async ({
      ask,
      streams,
    }) => {
      const first = await ask(PROCESS)
      assert.equal(await ask('select count(*) from one where id = 1'), 1)
      assert.equal(await ask('select count(*) > 0 from pg_stat_activity where state is not null'), true)
      assert.equal(await ask(PROCESS), first)
      assert.equal(streams.length, 1)
      assert.equal(await ask('insert into slow values (3) returning pg_backend_pid()', true), first)
      assert.notEqual(await ask(PROCESS), first)
    },

    'what is handed on is as after a login: settings, transaction, portals': async ({ ask }) => {
      const fresh = JSON.stringify(await ask(SETTINGS, true))
      await ask('select 1')
      const first = await ask(PROCESS)
      assert.equal(JSON.stringify(await ask(SETTINGS, true)), fresh)
      const second = await ask(PROCESS)
      assert.notEqual(second, first)
      // One that was not read to its end.
      await ask('select g from generate_series(1, 100000) g')
      // The portal of the statement itself.
      assert.equal(await ask("select pg_backend_pid() || ' ' || count(*) from pg_cursors"), `${second} 1`)
    },

    'a statement that may leave something has had its connection alone': async ({
      admin,
      ask,
      databases,
      target,
    }) => {
      await admin.query(`create function one_of_mine() returns int language sql immutable as 'select 1';
      create access method of_mine type table handler heap_tableam_handler; create table kept_elsewhere (id int) using of_mine`)
      for (const sql of [
        'select random()',
        'select clock_timestamp()',
        'select one_of_mine()',
        'select * from kept_elsewhere',
        // They load libraries: of dictionaries, and of the wrapper of a foreign table.
        "select to_tsvector('simple', 'a')",
        'select count(*) from information_schema.tables',
        "select xpath('/a', query_to_xml('select 1', true, true, ''))",
        'show work_mem',
        'explain select 1',
        "select count(*) from pg_prepared_statements, lateral (select currval('one_by_one')) c",
        'select 1 / 0',
        'select gone from one',
      ]) {
        const before = await ask(PROCESS)
        assert.equal(await ask(PROCESS), before)
        await databases.query(target(), { sql, write: false }).catch(() => undefined)
        assert.notEqual(await ask(PROCESS), before, sql)
      }
    },

    'a connection is handed on for a minute after it was opened': async ({ ask, clock }) => {
      // Its two times run once it is renewed.
      const renewed = () => reached(async () => clock.waiting, 2)
      const first = await ask(PROCESS)
      await renewed()
      clock.advance(59_000)
      assert.equal(await ask(PROCESS), first)
      await renewed()
      clock.advance(1000)
      assert.equal(await ask(PROCESS), first)
      assert.notEqual(await ask(PROCESS), first)
    },
  }
