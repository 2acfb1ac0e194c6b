import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { localSession, serviceHost } from '@fleet/testing'
import {
  copyDatabase,
  endCopy,
  runStatements,
  type ServerLogin,
  waitForLogin,
} from '../../packages/fleet/src/databases/servers/commands/server-scripts.ts'
import { statementsOf } from '../../packages/fleet/src/databases/servers/sql/sql.ts'
import { startMysqlWorld } from '../databases/mysql-world.ts'
import { PASSWORD, type ServerWorld } from '../databases/server-world.ts'
import { programOf } from '../databases/tree-program.ts'
import { serverTree } from './server-tree.ts'

const { path: tree, missing } = await serverTree('mysql-9')
const OWNER = 'it\'s \\ "a" $1 `password` é'
const NAMES = { database: 'shop_one', test: 'shop_one_test', user: 'shop_feature' } as const
const COPY = { database: 'shop_two', test: 'shop_two_test', user: 'shop_two', password: new Secret('two') }

describe('a database server of the fleet with MySQL 9', { skip: missing ?? false }, () => {
  let world: ServerWorld
  let clients: string
  before(async () => {
    world = await startMysqlWorld(tree)
    clients = mkdtempSync(join(tmpdir(), 'fleet-clients-'))
    // Found before the clients of MariaDB that this machine may have.
    for (const [name, program] of [
      ['mariadb', 'mysql'],
      ['mariadb-dump', 'mysqldump'],
    ] as const) {
      const path = join(clients, name)
      const words = programOf(tree, join('usr/bin', program))
      writeFileSync(path, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
      chmodSync(path, 0o755)
    }
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    rmSync(clients, { recursive: true })
  })

  const sql = statementsOf('mysql')
  const owner = { ...NAMES, password: new Secret(OWNER) }
  const login = (password = PASSWORD): ServerLogin => ({
    container: 'c',
    engine: 'mysql',
    password: new Secret(password),
  })
  /** What Fleet does on the Node; `docker` runs the client here instead of inside a container. */
  const onNode = async <T>(work: (session: ReturnType<typeof localSession>) => Promise<T>): Promise<T> => {
    using host = serviceHost()
    const variables = `PATH=${clients}:/usr/bin:/bin MYSQL_TCP_PORT=${world.port}`
    host.install(
      'docker',
      `[ "$1" != info ] || exec echo ${clients}\nwhile [ "$1" != sh ]; do shift; done\nexport ${variables}\nexec "$@"`,
    )
    return await work(localSession(host.pool))
  }
  const run = (statements: string, as = login()): Promise<readonly string[]> =>
    onNode((session) => session.ask(runStatements, { login: as, sql: statements }))
  const copy = (from: string, to: string, by: string): Promise<unknown> =>
    onNode((session) =>
      session.ask(copyDatabase, {
        login: login(),
        lock: { process: 7, database: to },
        from,
        to,
        owner: by,
        ownerPassword: login().password,
      }),
    )
  /** What the user's own client prints, or undefined when the server refuses. */
  const ask = (user: string, password: string, database: string, statements: string): string | undefined => {
    const words = ['-h127.0.0.1', `-P${world.port}`, `-u${user}`, '-N', '-B', database]
    const options = { input: statements, env: { PATH: '/usr/bin:/bin', MYSQL_PWD: password } }
    const { status, stdout } = spawnSync(join(clients, 'mariadb'), words, options)
    return status === 0 ? stdout.toString().trim() : undefined
  }
  const remove = async (): Promise<void> => {
    for (const names of [NAMES, COPY])
      await run(sql.drop((await run(sql.databases(names))).map(sql.nameIn), names.user))
  }

  test('an owner reaches its database and every test database, and no other; all of it goes [DB-024, DB-025, DBS-045, DBS-049]', async () => {
    await onNode((session) => session.ask(waitForLogin, { login: login(), sql: 'SELECT 1;', seconds: 20 }))
    assert.deepEqual(await run(sql.taken(NAMES)), [])
    const other = { database: 'shopXone', test: null, user: 'other', password: new Secret('other') }
    await run(sql.create(other))
    for (const _time of ['first', 'again']) await run(sql.create(owner))
    assert.deepEqual((await run(sql.taken(NAMES))).toSorted(), [
      'database shop_one',
      'database shop_one_test',
      'user shop_feature',
    ])
    const create = 'CREATE TABLE t (id int); INSERT INTO t VALUES (7); SELECT id FROM t;'
    for (const database of ['shop_one', 'shop_one_test'])
      assert.equal(ask(NAMES.user, OWNER, database, create), '7', database)
    assert.equal(ask(NAMES.user, OWNER, 'shop_one', 'CREATE DATABASE shop_one_test_test_1;'), '')
    assert.equal(ask(NAMES.user, OWNER, 'shopXone', 'SELECT 1;'), undefined)
    assert.equal(ask('other', 'other', 'shop_one', 'SELECT 1;'), undefined)
    assert.equal(ask(NAMES.user, 'wrong', 'shop_one', 'SELECT 1;'), undefined)
    const found = (await run(sql.databases(NAMES))).map(sql.nameIn)
    assert.deepEqual(found.toSorted(), ['shop_one', 'shop_one_test', 'shop_one_test_test_1'])
    for (const _time of ['first', 'again']) await run(sql.drop(found, NAMES.user))
    assert.deepEqual(await run(sql.taken(NAMES)), [])
    await run(sql.drop(['shopXone'], 'other'))
  })

  test('a reader reads, and the same request makes it a writer with another password [DBS-016]', async () => {
    await run(sql.create(owner))
    ask(NAMES.user, OWNER, 'shop_one', 'CREATE TABLE t (id int); INSERT INTO t VALUES (7);')
    const grant = { database: 'shop_one', owner: 'shop_feature', user: 'reporter' } as const
    for (const _time of ['first', 'again'])
      await run(sql.grant({ ...grant, password: new Secret(OWNER), isReadOnly: true }))
    assert.equal(ask('reporter', OWNER, 'shop_one', 'SELECT id FROM t;'), '7')
    assert.equal(ask('reporter', OWNER, 'shop_one', 'INSERT INTO t VALUES (8);'), undefined)
    await run(sql.grant({ ...grant, password: new Secret('second'), isReadOnly: false }))
    assert.equal(ask('reporter', OWNER, 'shop_one', 'SELECT 1;'), undefined)
    assert.equal(ask('reporter', 'second', 'shop_one', 'INSERT INTO t VALUES (8);'), '')
    await run(sql.grant({ ...grant, password: new Secret('third'), isReadOnly: true }))
    assert.equal(ask('reporter', 'third', 'shop_one', 'INSERT INTO t VALUES (9);'), undefined)
    assert.equal(ask(NAMES.user, OWNER, 'shop_one', 'SELECT max(id) FROM t;'), '8')
    for (const _time of ['first', 'again']) await run(sql.dropUser('reporter', []))
    await remove()
  })

  test('a copy has every row, object and byte, and belongs to its own user alone [INS-063, INS-064]', async () => {
    await run(sql.create(owner))
    const objects = `CREATE TABLE t (id int PRIMARY KEY, s text, b blob, j json, v vector(2), g int AS (id * 2) STORED);
      INSERT INTO t (id, s, b, j, v) VALUES (7, 'é''\n"DEFINER=', x'00ff0a27', '{"a": 1}', to_vector('[1, 2]'));
      CREATE VIEW v AS SELECT id FROM t;
      CREATE PROCEDURE p() SELECT 1;
      CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.s = upper(NEW.s);
      CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1; SELECT 1;`
    await world.admin.query('set global log_bin_trust_function_creators = 1')
    assert.equal(ask(NAMES.user, OWNER, 'shop_one', objects), '1')
    await run(sql.create(COPY))
    await copy('shop_one', 'shop_two', 'shop_two')
    const rows = 'SELECT id, s, lower(hex(b)), j, hex(v), g FROM t;'
    assert.match(ask('shop_two', 'two', 'shop_two', rows) ?? '', /00ff0a27/)
    assert.equal(ask('shop_two', 'two', 'shop_two', rows), ask(NAMES.user, OWNER, 'shop_one', rows))
    await run(sql.drop(['shop_one', 'shop_one_test'], NAMES.user))
    // The objects run with the rights of the owner of the copy.
    for (const [statement, answer] of [
      ['SELECT id FROM v;', '7'],
      ['CALL p();', '1'],
      ["INSERT INTO t (id, s) VALUES (8, 'a'); SELECT s FROM t WHERE id = 8;", 'A'],
      ["SELECT definer FROM information_schema.events WHERE event_name = 'e';", 'shop_two@%'],
      ['DROP VIEW v; DROP TABLE t; SELECT 1;', '1'],
    ] as const)
      assert.equal(ask('shop_two', 'two', 'shop_two', statement), answer, statement)
    await assert.rejects(copy('shop_one', 'shop_two', 'shop_two'), {
      code: 'database.server_command_failed',
    })
    await onNode((session) =>
      session.ask(endCopy, {
        login: login(),
        lock: { process: 7, database: 'shop_two' },
        sql: sql.sessions('shop_two'),
      }),
    )
    await remove()
  })

  test('a wrong root password does nothing [DBS-040]', () =>
    assert.rejects(run('SELECT 1;', login('wrong')), { code: 'database.server_command_failed' }))
})
