import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { localSession, serviceHost } from '@fleet/testing'
import { runStatements } from '#/databases/servers/commands/server-scripts.ts'
import { namesOf } from '#/databases/servers/names.ts'
import { hasDump, isMissing, running } from '#/databases/servers/real-server.test.ts'
import { statementsOf } from '#/databases/servers/sql/sql.ts'

const OWNER = 'it\'s \\ "a" $1 `password` é'
const NAMES = { database: 'shop_one', test: 'shop_one_test', user: 'shop_feature' } as const

for (const engine of ['mariadb', 'pgsql'] as const) {
  describe(`statements at a real server of ${engine}`, { skip: isMissing(engine) && 'not installed' }, () => {
    const sql = statementsOf(engine)
    const wanted = { ...NAMES, password: new Secret(OWNER) }

    test('an owner reaches its database and every test database, and no other; all of it goes [DB-024, DB-025, DBS-045, DBS-049]', () =>
      running(engine, async ({ run, ask }) => {
        assert.deepEqual(await run(sql.taken(NAMES)), [])
        await run(
          sql.create({ database: 'shopXone', test: null, user: 'other', password: new Secret('other') }),
        )
        for (const _time of ['first', 'again']) await run(sql.create(wanted))
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
        assert.equal(ask('other', 'other', 'shopXone', 'SELECT 1;'), '1')
      }))

    test('databases are created while others are, and while the template is being changed', () =>
      running(engine, async ({ run }) => {
        const ofName = (name: string) => ({
          database: name,
          test: null,
          user: name,
          password: new Secret('owner'),
        })
        const names = Array.from({ length: 6 }, (_, at) => `shop_at_once_${at}`)
        const all = (work: (name: string) => string) => Promise.all(names.map((name) => run(work(name))))
        await all((name) => sql.create(ofName(name)))
        if (engine === 'pgsql') {
          const held = run('BEGIN; REVOKE ALL ON DATABASE template1 FROM PUBLIC; SELECT pg_sleep(3); COMMIT;')
          const asleep = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
          await run(
            `DO $$ BEGIN WHILE NOT EXISTS (${asleep}) LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$;`,
          )
          await run(sql.create(ofName('meanwhile')))
          await held
        }
        await all((name) => sql.drop([name], name))
        for (const name of names) assert.deepEqual(await run(sql.taken(ofName(name))), [])
      }))

    test('the name of a test database that a login chose is a name alone when that is dropped [DBS-045, DBS-049]', () =>
      running(engine, async ({ run, ask }) => {
        await run(sql.create(wanted))
        const [quote, more] =
          engine === 'pgsql'
            ? ['"', 'ALTER ROLE shop_feature SUPERUSER;--']
            : ['`', 'GRANT FILE ON *.* TO shop_feature;#']
        const chosen = [`${quote};${more}`, 'A b', 'é', 'one\ntwo', 'a\\', `a\\${quote};`, 'a\tb']
        for (const end of chosen) {
          const name = `shop_one_test${end}`.replaceAll(quote, quote + quote)
          const mode = engine === 'pgsql' ? '' : "SET sql_mode = 'NO_BACKSLASH_ESCAPES';"
          assert.equal(
            ask(NAMES.user, OWNER, 'shop_one', `${mode}CREATE DATABASE ${quote}${name}${quote};`),
            '',
            end,
          )
        }
        const found = (await run(sql.databases(NAMES))).map(sql.nameIn)
        assert.equal(found.length, 2 + chosen.length)
        await run(
          sql.drop(
            found.filter((name) => name.includes(more)),
            null,
          ),
        )
        const may =
          engine === 'pgsql'
            ? "SELECT rolsuper FROM pg_roles WHERE rolname = 'shop_feature';"
            : "SELECT file_priv FROM mysql.user WHERE user = 'shop_feature';"
        assert.deepEqual(await run(may), [engine === 'pgsql' ? 'f' : 'N'])
        await run(sql.drop(found, null))
        assert.deepEqual(await run(sql.databases(NAMES)), [])
      }))

    test('a database of the longest name reaches its test databases too, and goes with them [DBS-041]', () =>
      running(engine, async ({ run, ask }) => {
        const names = namesOf(engine, `${'ab-'.repeat(20)}abc`, { project: 'shop', instance: 'feature' })
        const { database, test } = names
        assert.ok(test)
        await run(sql.create({ ...names, password: new Secret(OWNER) }))
        await run(
          sql.grant({
            database,
            owner: names.user,
            user: 'reporter',
            password: new Secret('second'),
            isReadOnly: true,
          }),
        )
        for (const [user, password, where] of [
          [names.user, OWNER, database],
          [names.user, OWNER, test],
          ['reporter', 'second', database],
        ] as const)
          assert.equal(ask(user, password, where, 'SELECT 1;'), '1', where)
        await run(sql.drop((await run(sql.databases(names))).map(sql.nameIn), names.user))
        assert.deepEqual(await run(sql.databases(names)), [])
      }))

    test('a user who stays loses what it had in a database that was dropped, and in its test databases [DBS-045]', () =>
      running(engine, async ({ run, ask }) => {
        await run(sql.create(wanted))
        const [again, other] = ['shop_one', 'shop_two'].map((database) => ({
          database,
          test: `${database}_test`,
          user: NAMES.user,
          password: new Secret(OWNER),
        }))
        assert.ok(again && other)
        await run(sql.create(other))
        await run(sql.grant({ ...other, isReadOnly: true, owner: NAMES.user, user: 'reporter' }))
        await run(sql.grant({ ...again, isReadOnly: true, owner: NAMES.user, user: 'reporter' }))
        const rows = await run(sql.granted(NAMES))
        await run([sql.drop(['shop_one', 'shop_one_test'], null), sql.revoke(NAMES, rows)].join('\n'))
        assert.deepEqual(await run(sql.granted(NAMES)), [])
        await run(sql.create({ ...again, user: 'another' }))
        for (const user of [NAMES.user, 'reporter']) {
          assert.equal(ask(user, OWNER, 'shop_one', 'SELECT 1;'), undefined, user)
          assert.equal(ask(user, OWNER, 'shop_one_test', 'SELECT 1;'), undefined, user)
          assert.equal(ask(user, OWNER, 'shop_two', 'SELECT 1;'), '1', user)
        }
      }))

    test('a reader reads, and the same request makes it a writer with another password [DBS-016]', () =>
      running(engine, async ({ run, ask }) => {
        await run(sql.create(wanted))
        ask(NAMES.user, OWNER, 'shop_one', 'CREATE TABLE t (id int); INSERT INTO t VALUES (7);')
        const grant = { database: 'shop_one', owner: NAMES.user, user: 'reporter' } as const
        for (const _time of ['first', 'again'])
          await run(sql.grant({ ...grant, password: new Secret(OWNER), isReadOnly: true }))
        assert.equal(ask('reporter', OWNER, 'shop_one', 'SELECT id FROM t;'), '7')
        ask('reporter', OWNER, 'shop_one', 'INSERT INTO t VALUES (8);')
        assert.equal(ask(NAMES.user, OWNER, 'shop_one', 'SELECT max(id) FROM t;'), '7')
        await run(sql.grant({ ...grant, password: new Secret('second'), isReadOnly: false }))
        assert.equal(ask('reporter', OWNER, 'shop_one', 'SELECT 1;'), undefined)
        ask('reporter', 'second', 'shop_one', 'INSERT INTO t VALUES (8);')
        assert.equal(ask(NAMES.user, OWNER, 'shop_one', 'SELECT max(id) FROM t;'), '8')
        await run(sql.grant({ ...grant, password: new Secret('third'), isReadOnly: true }))
        ask('reporter', 'third', 'shop_one', 'INSERT INTO t VALUES (9);')
        assert.equal(ask(NAMES.user, OWNER, 'shop_one', 'SELECT max(id) FROM t;'), '8')
        await run(sql.drop(['shop_one', 'shop_one_test'], NAMES.user))
        for (const _time of ['first', 'again']) await run(sql.dropUser('reporter', []))
      }))

    test(
      'a copy has every row, object and byte, and belongs to its own user alone [INS-063, INS-064]',
      { skip: !hasDump(engine) && 'no dump program' },
      () =>
        running(engine, async ({ run, ask, copy }) => {
          await run(sql.create(wanted))
          const [bytes, hex] =
            engine === 'pgsql' ? ['bytea', String.raw`'\x00ff0a27'`] : ['blob', "x'00ff0a27'"]
          const shown = engine === 'pgsql' ? "encode(b, 'hex')" : 'lower(hex(b))'
          ask(
            NAMES.user,
            OWNER,
            'shop_one',
            `CREATE TABLE t (id int PRIMARY KEY, s text, b ${bytes}); INSERT INTO t VALUES (7, 'é''\n"DEFINER=', ${hex}); CREATE VIEW v AS SELECT id FROM t;`,
          )
          const copied = {
            database: 'shop_two',
            test: 'shop_two_test',
            user: 'shop_two',
            password: new Secret('two'),
          }
          await run(sql.create(copied))
          await copy('shop_one', 'shop_two', 'shop_two')
          const rows = `SELECT id, s, ${shown} FROM t;`
          assert.equal(ask('shop_two', 'two', 'shop_two', rows), ask(NAMES.user, OWNER, 'shop_one', rows))
          assert.match(ask('shop_two', 'two', 'shop_two', rows) ?? '', /00ff0a27/)
          await run(sql.drop(['shop_one', 'shop_one_test'], NAMES.user))
          // The view runs with the rights of the owner of the copy.
          assert.equal(ask('shop_two', 'two', 'shop_two', 'SELECT id FROM v;'), '7')
          assert.equal(ask('shop_two', 'two', 'shop_two', 'DROP VIEW v; DROP TABLE t; SELECT 1;'), '1')
          await assert.rejects(copy('shop_one', 'shop_two', 'shop_two'), {
            code: 'database.server_command_failed',
          })
        }),
    )

    test(
      'a power cut in the middle of a copy leaves the source, and the identical steps copy every row [INS-068]',
      { skip: !hasDump(engine) && 'no dump program' },
      () =>
        running(engine, async ({ run, ask, copy, endCopy, cut }) => {
          await run(sql.create(wanted))
          const rows =
            engine === 'pgsql'
              ? "SELECT n, repeat('x', 200) FROM generate_series(1, 400000) n"
              : "SELECT seq, repeat('x', 200) FROM seq_1_to_400000"
          ask(
            NAMES.user,
            OWNER,
            'shop_one',
            `CREATE TABLE t (id int PRIMARY KEY, s text); INSERT INTO t ${rows};`,
          )
          const sum = 'SELECT count(*), sum(id), sum(length(s)) FROM t;'
          const expected = ask(NAMES.user, OWNER, 'shop_one', sum)
          assert.match(expected ?? '', /400000/)
          const copied = {
            database: 'shop_two',
            test: 'shop_two_test',
            user: 'shop_two',
            password: new Secret('two'),
          }
          await run(sql.create(copied))
          const interrupted = assert.rejects(copy('shop_one', 'shop_two', 'shop_two'), {
            code: 'database.server_command_failed',
          })
          const loading =
            engine === 'pgsql'
              ? "SELECT pid FROM pg_stat_progress_copy WHERE datname = 'shop_two' AND tuples_processed > 1000;"
              : "SELECT id FROM information_schema.processlist WHERE db = 'shop_two' AND info LIKE 'INSERT%';"
          for (let ids: readonly string[] = []; ids.length === 0;) ids = await run(loading)
          await cut()
          await interrupted
          assert.equal(ask(NAMES.user, OWNER, 'shop_one', sum), expected)
          assert.notEqual(ask('shop_two', 'two', 'shop_two', sum), expected)
          await endCopy('shop_two')
          await run(sql.drop(['shop_two'], null))
          await run(sql.create(copied))
          await copy('shop_one', 'shop_two', 'shop_two')
          assert.equal(ask('shop_two', 'two', 'shop_two', sum), expected)
        }),
    )

    test('statements that lost their end are not run, and a wrong root password does nothing [DBS-035, DBS-040]', () =>
      running(engine, async ({ run, login }) => {
        using host = serviceHost()
        host.install('docker', 'exit 1')
        const wrong = { ...login, password: new Secret('wrong') }
        await assert.rejects(localSession(host.pool).ask(runStatements, { login: wrong, sql: 'SELECT 1;' }), {
          code: 'database.server_command_failed',
        })
        await assert.rejects(
          run('SELECT nothing FROM nowhere;'),
          (error: Error & { code: string; details: object }) => {
            assert.equal(error.code, 'database.server_command_failed')
            assert.ok(!JSON.stringify([error.message, error.details]).includes('nowhere'))
            return true
          },
        )
      }))
  })
}
