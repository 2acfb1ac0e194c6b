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

type Proof = (spares: Spares, server: SpareServer) => Promise<void>

/** The tests of connections that are kept ready, which are the same for every product. */
export function testSpares(server: SpareServer): void {
  describe(`fresh connections of ${server.product}`, { skip: server.missing ?? false }, () => {
    let world: ServerWorld
    let spares: Spares
    before(async () => {
      world = await server.start()
    })
    after(() => world[Symbol.asyncDispose]())
    beforeEach(async () => {
      spares = new Spares(world, openDatabases({ clock: systemClock, ids: systemIds }))
      await spares.begin()
    })
    afterEach(() => spares.end())
    for (const [name, proof] of Object.entries(PROOFS)) test(name, () => proof(spares, server))
  })
}

/** What a test does with the connections of one owner. */
class Spares {
  readonly world: ServerWorld
  readonly databases: DatabaseAccess
  #own = 0
  constructor(world: ServerWorld, databases: DatabaseAccess) {
    this.world = world
    this.databases = databases
  }
  /** Learns which connection is that of the test itself. */
  async begin(): Promise<void> {
    const [rows] = await this.world.admin.query('select connection_id() as id')
    this.#own = Array.isArray(rows) ? Number(Object(rows[0])['id']) : 0
  }
  async end(): Promise<void> {
    await this.databases[Symbol.asyncDispose]()
    assert.equal(await reached(async () => (await this.threads()).length, 0), 0)
  }
  target(): ServerTarget {
    const { target } = this.world
    return { ...target, spares: { owner: 'shop', version: '1', server: 'here', open: target.open } }
  }
  async ask(sql: string, write = false): Promise<unknown> {
    return Object.values(Object((await this.databases.query(this.target(), { sql, write })).rows[0]))[0]
  }
  async threads(): Promise<readonly number[]> {
    const sql = `select id as id from information_schema.processlist where id <> ${this.#own} and user not in ('system user', 'event_scheduler')`
    const [rows] = await this.world.admin.query(sql)
    return Array.isArray(rows) ? rows.map((row: unknown) => Number(Object(row)['id'])) : []
  }
  /** Not the one that a caller had, which takes a moment to be gone. */
  async readyThread(used?: number): Promise<number> {
    const ready = async () => (await this.threads()).filter((thread) => thread !== used)
    await reached(async () => (await ready()).length, 1)
    return (await ready())[0] ?? 0
  }
}

const PROOFS: Readonly<Record<string, Proof>> = {
  'a statement runs on the connection that was kept ready, a read as a read and a write as a write': async (
    spares,
    { readOnly },
  ) => {
    await spares.ask('select 1')
    const first = await spares.readyThread()
    assert.equal(await spares.ask('select connection_id()'), first)
    assert.notEqual(await spares.readyThread(first), 0)
    const write = (sql: string) => spares.databases.query(spares.target(), { sql, write: true })
    await write('create table made_by_spare (id int)')
    await spares.readyThread()
    assert.equal(await spares.ask(`select ${readOnly}`), 1)
    await spares.readyThread()
    await write('drop table made_by_spare')
    await spares.readyThread()
    assert.ok((await spares.databases.tables(spares.target())).includes('t'))
  },

  'nothing of one caller reaches the next: variables, modes, temporary tables, locks, prepared statements':
    async (spares, { isolation }) => {
      const traces = `select concat_ws('|', @mine, @@sort_buffer_size, @@sql_mode, @@autocommit, @@foreign_key_checks, @@sql_select_limit,
        is_used_lock('mine'), last_insert_id(), database(), ${isolation})`
      const fresh = JSON.stringify(await spares.ask(traces, true))
      for (const sql of TRACES) {
        await spares.ask(sql, true)
        await spares.readyThread()
        assert.equal(JSON.stringify(await spares.ask(traces, true)), fresh, sql)
        await spares.readyThread()
        assert.equal(await spares.ask('select count(*) > 0 from t'), 1, `a read after ${sql}`)
      }
      const sql = 'select * from t_of_mine'
      await assert.rejects(spares.databases.query(spares.target(), { sql, write: true }), {
        details: { reason: 'statement', condition: 'ER_NO_SUCH_TABLE', subject: 't_of_mine' },
      })
      await assert.rejects(spares.ask('execute mine', true))
    },

  'a connection that was killed at the server is replaced, and the caller does not notice': async (
    spares,
  ) => {
    await spares.ask('select 1')
    await spares.world.admin.query(`kill ${await spares.readyThread()}`)
    assert.equal(await spares.ask('select 7'), 7)
    await spares.world.admin.query(`kill ${await spares.readyThread()}`)
    await spares.databases.query(spares.target(), { sql: 'do 1', write: true })
  },

  'a full server gets the ready connections back for a statement of another one': async (spares) => {
    const { admin, target } = spares.world
    await admin.query("create user few@localhost identified by 'few'")
    await admin.query('grant select on corpus.* to few@localhost')
    const few = (owner: string): ServerTarget => ({
      ...target,
      username: 'few',
      password: new Secret('few'),
      spares: { owner, version: '1', server: 'here', open: target.open },
    })
    const seven = { sql: 'select 7 as a', write: false }
    await spares.databases.query(few('one'), seven)
    await spares.readyThread()
    const others: Connection[] = []
    await admin.query('set global max_connections = 10')
    try {
      // The administrator, the ready one, and the rest of ten.
      for (let count = 0; count < 8; count += 1) {
        const stream = await target.open(new AbortController().signal)
        others.push(await createConnection({ stream, user: 'few', password: 'few' }))
      }
      assert.deepEqual((await spares.databases.query(few('other'), seven)).rows, [{ a: 7 }])
    } finally {
      await admin.query('set global max_connections = 100')
      for (const each of others) each.destroy()
    }
  },

  'a connection that is kept ready has the TLS that the connection asks for': async (
    spares,
    { sessionStatus },
  ) => {
    const secure = (): ServerTarget => ({
      ...spares.target(),
      tls: { mode: 'verify-full', host: 'db', authority: spares.world.authority },
    })
    const read = async (sql: string): Promise<unknown> =>
      Object.values(Object((await spares.databases.query(secure(), { sql, write: false })).rows[0]))[0]
    await read('select 1')
    const ready = await spares.readyThread()
    const cipher = `(select variable_value from ${sessionStatus} where variable_name = 'ssl_cipher')`
    assert.match(
      String(await read(`select concat(connection_id(), ' ', ${cipher})`)),
      new RegExp(`^${ready} \\w`),
    )
  },

  'a server that was restarted is read on a new connection, and one that is not there is said to be missing':
    async (spares) => {
      await spares.ask('select 1')
      await spares.readyThread()
      await spares.world.restart(async () => {
        await assert.rejects(spares.ask('select 1'), {
          code: 'database.query_failed',
          details: { reason: 'unreachable' },
        })
      })
      await spares.begin()
      assert.equal(await spares.ask('select 7 as a'), 7)
      const ready = await spares.readyThread()
      assert.equal(await spares.ask('select connection_id()'), ready)
    },
}

/** Statements that leave something in their session. */
const TRACES = [
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
]
