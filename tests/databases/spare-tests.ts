import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type DatabaseAccess, openDatabases, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { type Connection, createConnection } from 'mysql2/promise'
import { reached } from './reached.ts'
import type { ServerWorld } from './server-world.ts'

/** A product whose connections are kept ready. */
export interface SpareServer {
  readonly product: string
  /** Why none can be had. */
  readonly missing: string | undefined
  start(): Promise<ServerWorld>
  /** Variables of a session: whether its transactions may only read, and how isolated they are. */
  readonly readOnly: string
  readonly isolation: string
  /** Table of the status variables of a session. */
  readonly sessionStatus: string
}

/** The tests of connections that are kept ready, which are the same for every product. */
export function testSpares({
  product,
  missing,
  start,
  readOnly,
  isolation,
  sessionStatus,
}: SpareServer): void {
  const traces = `select concat_ws('|', @mine, @@sort_buffer_size, @@sql_mode, @@autocommit, @@foreign_key_checks, @@sql_select_limit,
    is_used_lock('mine'), last_insert_id(), database(), ${isolation})`
  describe(`fresh connections of ${product}`, { skip: missing ?? false }, () => {
    let world: ServerWorld
    let databases: DatabaseAccess
    let own = 0
    before(async () => {
      world = await start()
      const [rows] = await world.admin.query('select connection_id() as id')
      own = Array.isArray(rows) ? Number(Object(rows[0])['id']) : 0
    })
    after(() => world[Symbol.asyncDispose]())
    beforeEach(() => {
      databases = openDatabases({ clock: systemClock, ids: systemIds })
    })
    afterEach(async () => {
      await databases[Symbol.asyncDispose]()
      assert.equal(await reached(async () => (await threads()).length, 0), 0)
    })

    const target = (): ServerTarget => ({
      ...world.target,
      spares: { owner: 'shop', version: '1', server: 'here', open: world.target.open },
    })
    const ask = async (sql: string, write = false): Promise<unknown> =>
      Object.values(Object((await databases.query(target(), { sql, write })).rows[0]))[0]
    const threads = async (): Promise<readonly number[]> => {
      const sql = `select id from information_schema.processlist where id <> ${own} and user not in ('system user', 'event_scheduler')`
      const [rows] = await world.admin.query(sql)
      return Array.isArray(rows) ? rows.map((row: unknown) => Number(Object(row)['id'])) : []
    }
    const readyThread = async (): Promise<number> => {
      await reached(async () => (await threads()).length, 1)
      return (await threads())[0] ?? 0
    }

    test('a statement runs on the connection that was kept ready, a read as a read and a write as a write', async () => {
      await ask('select 1')
      const first = await readyThread()
      assert.equal(await ask('select connection_id()'), first)
      const second = await readyThread()
      assert.notEqual(second, first)
      await databases.query(target(), { sql: 'create table made_by_spare (id int)', write: true })
      await readyThread()
      assert.equal(await ask(`select ${readOnly}`), 1)
      await readyThread()
      await databases.query(target(), { sql: 'drop table made_by_spare', write: true })
      await readyThread()
      assert.ok((await databases.tables(target())).includes('t'))
    })

    test('nothing of one caller reaches the next: variables, modes, temporary tables, locks, prepared statements', async () => {
      const fresh = JSON.stringify(await ask(traces, true))
      for (const sql of [
        "set @mine = 'mine'",
        'set session sort_buffer_size = 1048576',
        "set session sql_mode = ''",
        'set autocommit = 0',
        'set foreign_key_checks = 0',
        'set session transaction isolation level serializable',
        "select get_lock('mine', 0)",
        'create temporary table t_of_mine (id int)',
        "prepare mine from 'select 1'",
        'use mysql',
        'lock tables t write',
        'start transaction',
      ]) {
        await ask(sql, true)
        await readyThread()
        assert.equal(JSON.stringify(await ask(traces, true)), fresh, sql)
        await readyThread()
        assert.equal(await ask('select count(*) > 0 from t'), 1, `a read after ${sql}`)
      }
      await assert.rejects(databases.query(target(), { sql: 'select * from t_of_mine', write: true }), {
        details: { reason: 'statement', condition: 'ER_NO_SUCH_TABLE' },
      })
      await assert.rejects(databases.query(target(), { sql: 'execute mine', write: true }))
    })

    test('a connection that was killed at the server is replaced, and the caller does not notice', async () => {
      await ask('select 1')
      await world.admin.query(`kill ${await readyThread()}`)
      assert.equal(await ask('select 7'), 7)
      await world.admin.query(`kill ${await readyThread()}`)
      await databases.query(target(), { sql: 'do 1', write: true })
    })

    test('a full server gets the ready connections back for a statement of another one', async () => {
      await world.admin.query("create user few@localhost identified by 'few'")
      await world.admin.query('grant select on corpus.* to few@localhost')
      const few = (owner: string): ServerTarget => ({
        ...target(),
        username: 'few',
        password: new Secret('few'),
        spares: { owner, version: '1', server: 'here', open: world.target.open },
      })
      const seven = { sql: 'select 7 as a', write: false }
      await databases.query(few('one'), seven)
      await readyThread()
      const others: Connection[] = []
      await world.admin.query('set global max_connections = 10')
      try {
        // The administrator, the ready one, and the rest of ten.
        for (let count = 0; count < 8; count += 1)
          others.push(
            await createConnection({
              stream: await world.target.open(new AbortController().signal),
              user: 'few',
              password: 'few',
            }),
          )
        assert.deepEqual((await databases.query(few('other'), seven)).rows, [{ a: 7 }])
      } finally {
        await world.admin.query('set global max_connections = 100')
        for (const each of others) each.destroy()
      }
    })

    test('a connection that is kept ready has the TLS that the connection asks for', async () => {
      const secure = (): ServerTarget => ({
        ...target(),
        tls: { mode: 'verify-full', host: 'db', authority: world.authority },
      })
      const read = async (sql: string): Promise<unknown> =>
        Object.values(Object((await databases.query(secure(), { sql, write: false })).rows[0]))[0]
      await read('select 1')
      const ready = await readyThread()
      const cipher = `(select variable_value from ${sessionStatus} where variable_name = 'ssl_cipher')`
      assert.match(
        String(await read(`select concat(connection_id(), ' ', ${cipher})`)),
        new RegExp(`^${ready} \\w`),
      )
    })

    test('a server that was restarted is read on a new connection, and one that is not there is said to be missing', async () => {
      await ask('select 1')
      await readyThread()
      await world.restart(async () => {
        await assert.rejects(ask('select 1'), {
          code: 'database.query_failed',
          details: { reason: 'unreachable' },
        })
      })
      const [rows] = await world.admin.query('select connection_id() as id')
      own = Array.isArray(rows) ? Number(Object(rows[0])['id']) : 0
      assert.equal(await ask('select 7 as a'), 7)
      const ready = await readyThread()
      assert.equal(await ask('select connection_id()'), ready)
    })
  })
}
