import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { hasDump, isMissing, running } from '#/databases/servers/real-server.test.ts'
import { pgsqlStatements as sql } from '#/databases/servers/sql/pgsql.ts'

const OWNER = { user: 'shop_feature', password: new Secret('owner') } as const
const NAMES = { database: 'shop_one', test: 'shop_one_test' } as const
const LONG = 'x'.repeat(63)

const grant = (user: string, more: { readonly isReadOnly?: boolean; readonly database?: string } = {}) =>
  sql.grant({
    database: NAMES.database,
    owner: OWNER.user,
    user,
    password: new Secret(user),
    isReadOnly: false,
    ...more,
  })

/** As an earlier version let a user write: as a member of the role of the owner. */
const earlier = (user: string, database: string): string =>
  [
    `SELECT 'CREATE ROLE ${user} LOGIN PASSWORD ''${user}''' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user}') \\gexec`,
    `GRANT ALL ON DATABASE ${database} TO ${user};`,
    `GRANT ${OWNER.user} TO ${user};`,
  ].join('\n')

const FLEET_ROLES = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'fleet.%' ORDER BY rolname;"

describe(
  'users of a database on a real server of pgsql',
  { skip: isMissing('pgsql') && 'not installed' },
  () => {
    test('whoever may write in one database of an Instance does everything there and reaches no other one of it [DBS-016, DBS-045]', () =>
      running('pgsql', async ({ run, ask }) => {
        await run(sql.create({ ...NAMES, ...OWNER }))
        await run(sql.create({ database: 'shop_two', test: 'shop_two_test', ...OWNER }))
        const asOwner = (text: string, database = 'shop_one') => ask(OWNER.user, 'owner', database, text)
        const as = (user: string, text: string, database = 'shop_one') => ask(user, user, database, text)
        assert.equal(asOwner('CREATE DATABASE shop_one_test_test_1;', 'shop_one_test'), '')
        for (const database of ['shop_one', 'shop_two'])
          asOwner(
            'CREATE TABLE old (id serial, n int); CREATE SCHEMA "shop_feature"; CREATE TABLE own (n int);',
            database,
          )
        await run(grant('reader', { isReadOnly: true }))
        for (const user of ['alice', 'bob', 'alice']) await run(grant(user))

        assert.equal(as('alice', 'INSERT INTO old (n) VALUES (7) RETURNING id;'), '1')
        assert.equal(
          as(
            'alice',
            'ALTER TABLE old ADD s text; CREATE TABLE hers (id serial, n int); CREATE SCHEMA more;',
          ),
          '',
        )
        const change = 'INSERT INTO hers (n) VALUES (1) RETURNING n; ALTER TABLE hers ADD %s int;'
        assert.equal(as('bob', change.replace('%s', 'b')), '1')
        assert.equal(asOwner(change.replace('%s', 'o')), '1')
        assert.equal(as('reader', 'SELECT count(*) FROM hers;'), '2')
        assert.equal(as('reader', 'DELETE FROM hers;'), undefined)
        assert.equal(
          asOwner(
            'CREATE TABLE more.his (n int); CREATE TABLE public.new (n int); SELECT count(*) FROM own;',
          ),
          '0',
        )
        assert.equal(
          as('bob', 'INSERT INTO more.his VALUES (1); DROP TABLE more.his; DROP TABLE new; SELECT 1;'),
          '1',
        )
        assert.equal(as('reader', 'SELECT n FROM old;'), '7')
        // A pool of connections may take the role of a session from it.
        for (const user of ['alice', OWNER.user])
          assert.equal(
            ask(
              user,
              user === 'alice' ? user : 'owner',
              'shop_one',
              `DISCARD ALL; CREATE TABLE public.by_${user} (id serial, n int);`,
            ),
            '',
          )
        for (const name of ['by_alice', 'by_shop_feature'])
          for (const ask of [asOwner, (text: string) => as('alice', text), (text: string) => as('bob', text)])
            assert.notEqual(ask(`INSERT INTO public.${name} (n) VALUES (1) RETURNING id;`), undefined)
        assert.equal(as('reader', 'SELECT count(*) FROM by_alice;'), '3')

        for (const database of ['shop_two', 'shop_one_test', 'shop_two_test'])
          assert.equal(as('alice', 'SELECT 1;', database), undefined, database)
        assert.equal(as('alice', `SET ROLE ${OWNER.user};`), undefined)
        assert.equal(as('alice', 'DROP DATABASE shop_two;', 'postgres'), undefined)
        assert.equal(as('alice', 'CREATE DATABASE hers;', 'postgres'), undefined)
        assert.equal(asOwner('DROP TABLE own; DROP TABLE old; SELECT 1;', 'shop_two'), '1')
        assert.equal(asOwner('CREATE DATABASE shop_two_test_test_1;', 'shop_two'), '')
        assert.equal(asOwner('DROP DATABASE shop_one_test_test_1;', 'shop_one_test'), '')

        await run(grant('bob', { isReadOnly: true }))
        assert.equal(as('bob', 'CREATE TABLE n (n int); DROP TABLE hers;'), undefined)
        assert.equal(as('bob', 'INSERT INTO old (n) VALUES (1);'), undefined)
        assert.equal(as('bob', 'SELECT count(*) FROM hers;'), '2')
        await run(sql.drop(['shop_one', 'shop_one_test'], null))
        const rows = await run(sql.granted(NAMES))
        assert.deepEqual(rows, ['grant fleet.shop_one'])
        for (const _time of ['first', 'again'])
          await run(
            [
              sql.revoke(NAMES, await run(sql.granted(NAMES))),
              ...['alice', 'bob', 'reader'].map((user) => sql.dropUser(user, [])),
            ].join('\n'),
          )
        assert.deepEqual(await run(FLEET_ROLES), [])
        assert.equal(asOwner('SELECT 1;', 'shop_two'), '1')
        await run(sql.drop(['shop_two', 'shop_two_test', 'shop_two_test_test_1'], OWNER.user))
      }))

    test('a user whom an earlier version let write as the owner keeps each of its databases, and loses the others with the last of them', () =>
      running('pgsql', async ({ run, ask }) => {
        for (const database of ['shop_one', 'shop_two', 'shop_three']) {
          await run(sql.create({ database, test: null, ...OWNER }))
          ask(OWNER.user, 'owner', database, 'CREATE TABLE old (n int);')
        }
        for (const database of ['shop_one', 'shop_two']) await run(earlier('alice', database))
        await run(grant('reader', { isReadOnly: true }))
        const as = (user: string, database: string, text: string) => ask(user, user, database, text)
        as('alice', 'shop_one', 'CREATE TABLE hers (n int);')
        assert.equal(as('alice', 'shop_three', 'SELECT 1;'), '1', 'the fault of the earlier version')
        const shared = (database: string) => ({ database, owner: OWNER.user, user: 'alice' })
        const write =
          'INSERT INTO old VALUES (1); ALTER TABLE old ADD more int; ALTER TABLE old DROP more; SELECT 1;'
        for (const _time of ['first', 'again']) await run(sql.share?.(shared('shop_one')) ?? '')
        for (const database of ['shop_one', 'shop_two'])
          assert.equal(as('alice', database, write), '1', database)
        await run(sql.share?.(shared('shop_two')) ?? '')
        for (const database of ['shop_one', 'shop_two'])
          assert.equal(as('alice', database, write), '1', database)
        assert.equal(as('alice', 'shop_three', 'SELECT 1;'), undefined)
        assert.equal(ask(OWNER.user, 'owner', 'shop_one', 'ALTER TABLE hers ADD more int; SELECT 1;'), '1')
        as('alice', 'shop_one', 'CREATE TABLE later (n int);')
        assert.equal(as('reader', 'shop_one', 'SELECT count(*) FROM later;'), '0')
      }))

    test('a login goes with every database that it created, under whatever name, and takes none of another record [DB-031, DBS-049]', () =>
      running('pgsql', async ({ run, ask }) => {
        await run(sql.create({ ...NAMES, ...OWNER }))
        await run(
          sql.create({ database: 'other', test: 'other_test', user: 'other', password: new Secret('o') }),
        )
        await run(grant('alice'))
        const asOwner = (text: string) => ask(OWNER.user, 'owner', 'shop_one_test', text)
        for (const name of ['test_shop_one', 'It\'s "one"', 'shop_one_test_base', 'other_test_1'])
          assert.equal(asOwner(`CREATE DATABASE "${name.replaceAll('"', '""')}";`), '', name)
        for (const name of ['test_shop_one', 'shop_one_test_base'])
          assert.equal(asOwner(`ALTER DATABASE ${name} IS_TEMPLATE true;`), '')
        const byRole = 'SET ROLE NONE; CREATE DATABASE of_role OWNER "fleet.shop_one";'
        assert.equal(ask(OWNER.user, 'owner', 'shop_one', byRole), '')
        const others = [{ database: 'other', test: 'other_test' }]
        for (const _time of ['first', 'again'])
          await run(
            [
              sql.drop((await run(sql.databases(NAMES))).map(sql.nameIn), null),
              sql.revoke(NAMES, await run(sql.granted(NAMES))),
              sql.dropUser('alice', others),
              sql.dropUser(OWNER.user, others),
            ].join('\n'),
          )
        const left =
          "SELECT datname || ' of ' || pg_get_userbyid(datdba) FROM pg_database WHERE datname NOT LIKE 'template%' ORDER BY datname;"
        assert.deepEqual(await run(left), [
          'of_role of postgres',
          'other of other',
          'other_test of other',
          'other_test_1 of postgres',
          'postgres of postgres',
        ])
        assert.deepEqual(
          await run(
            "SELECT rolname FROM pg_roles WHERE rolname IN ('alice', 'shop_feature', 'fleet.shop_one');",
          ),
          [],
        )
      }))

    test('who may read creates nothing in the schema public, also where everybody may by themselves [DBS-016]', () =>
      running('pgsql', async ({ run, ask }) => {
        const open = 'GRANT CREATE ON SCHEMA public TO PUBLIC;'
        // As before version 15.
        await run(
          `ALTER DATABASE template0 ALLOW_CONNECTIONS true;\n\\connect template0\n${open}\n\\connect template1\n${open}\nALTER DATABASE template0 ALLOW_CONNECTIONS false;`,
        )
        await run(sql.create({ ...NAMES, ...OWNER }))
        await run(sql.create({ database: 'shop_two', test: null, ...OWNER }))
        const makes = (user: string, database = 'shop_one') =>
          ask(
            user,
            user === OWNER.user ? 'owner' : user,
            database,
            `CREATE TABLE by_${user} (n int); SELECT 1;`,
          )
        await run(`CREATE ROLE other LOGIN PASSWORD 'other'; GRANT CONNECT ON DATABASE shop_one TO other;`)
        assert.equal(makes('other'), undefined)
        await run(grant('reader', { isReadOnly: true }))
        await run(`\\connect shop_two\n${open}`)
        await run(grant('reader', { isReadOnly: true, database: 'shop_two' }))
        assert.deepEqual([makes('reader'), makes('reader', 'shop_two')], [undefined, undefined])
        assert.deepEqual(
          [makes(OWNER.user), makes(OWNER.user, 'shop_two'), makes(OWNER.user, 'shop_one_test')],
          ['1', '1', '1'],
        )
        await run(`\\connect shop_two\n${open}`)
        await run(grant('alice', { database: 'shop_two' }))
        assert.deepEqual([makes('alice', 'shop_two'), makes('other', 'shop_two')], ['1', undefined])
        assert.equal(ask(OWNER.user, 'owner', 'shop_two', 'CREATE TABLE public.more (n int); SELECT 1;'), '1')
        await run(`\\connect shop_two\nALTER SCHEMA public RENAME TO app;`)
        await run(grant('reader', { isReadOnly: true, database: 'shop_two' }))
      }))

    test('no login reaches what new databases begin with, and nothing that is connected there is in their way [DBS-045]', () =>
      running('pgsql', async ({ run, ask }) => {
        await run(sql.create({ ...NAMES, ...OWNER }))
        assert.equal(ask(OWNER.user, 'owner', 'template1', 'SELECT 1;'), undefined)
        await run(`\\connect template1\nCREATE TABLE public.left_there (n int);`)
        const held = run('\\connect template1\nSELECT pg_sleep(8);')
        await run(
          "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = 'template1' AND query LIKE '%pg_sleep%') LOOP PERFORM pg_sleep(0.05); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$;",
        )
        await run(sql.create({ database: 'shop_two', test: null, ...OWNER }))
        assert.equal(
          ask(OWNER.user, 'owner', 'shop_two', "SELECT to_regclass('public.left_there') IS NULL;"),
          't',
        )
        await held
      }))

    test('who may read reads every schema, also those that come later, and writes in none [DBS-016]', () =>
      running('pgsql', async ({ run, ask }) => {
        await run(sql.create({ ...NAMES, ...OWNER }))
        const asOwner = (text: string) => ask(OWNER.user, 'owner', 'shop_one', text)
        const as = (user: string, text: string) => ask(user, user, 'shop_one', text)
        const make = (schema: string) =>
          `CREATE SCHEMA "${schema}"; CREATE TABLE "${schema}".t (id serial, n int);`
        assert.equal(asOwner(make('Its "own"'.replaceAll('"', '""'))), '')
        await run(grant('reader', { isReadOnly: true }))
        const reads = (schema: string) =>
          as('reader', `SELECT count(*) FROM "${schema}".t; SELECT last_value FROM "${schema}".t_id_seq;`)
        assert.equal(reads('Its ""own""'), '0\n1')
        assert.equal(asOwner(make('later')), '')
        assert.equal(reads('later'), '0\n1')
        await run(grant('alice'))
        assert.equal(as('alice', make('hers')), '')
        assert.equal(reads('hers'), '0\n1')
        await run(grant('alice', { isReadOnly: true }))
        for (const user of ['reader', 'alice'])
          for (const schema of ['Its ""own""', 'later', 'hers', 'public']) {
            for (const text of [
              `INSERT INTO "${schema}".t (n) VALUES (1);`,
              `CREATE TABLE "${schema}".more (n int);`,
              `DROP TABLE "${schema}".t;`,
            ])
              assert.equal(as(user, text), undefined, text)
            if (schema !== 'public') assert.equal(as(user, `SELECT count(*) FROM "${schema}".t;`), '0')
          }
      }))

    test('root runs nothing that an owner has put into its database under the name of a function of the server [DBS-045]', () =>
      running('pgsql', async ({ run, ask }) => {
        await run(sql.create({ ...NAMES, ...OWNER }))
        const body =
          'BEGIN IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN ALTER ROLE shop_feature SUPERUSER; END IF; RETURN pg_catalog.format($1, VARIADIC ARRAY[$2]); END'
        const traps = ['public', 'postgres'].map(
          (schema) =>
            `CREATE SCHEMA IF NOT EXISTS ${schema}; CREATE FUNCTION ${schema}.format(text, name) RETURNS text LANGUAGE plpgsql AS $$ ${body} $$;`,
        )
        assert.equal(
          ask(
            OWNER.user,
            'owner',
            'shop_one',
            `${traps.join(' ')} ALTER DATABASE shop_one SET search_path = public;`,
          ),
          '',
        )
        await run(grant('reader', { isReadOnly: true }))
        await run(grant('alice'))
        assert.deepEqual(await run("SELECT rolsuper FROM pg_roles WHERE rolname = 'shop_feature';"), ['f'])
      }))

    test('a database of 63 characters has a role of its own, and the next one of its name lets nobody in whom that let in', () =>
      running('pgsql', async ({ run, ask }) => {
        const names = { database: LONG, test: null }
        await run(sql.create({ ...names, ...OWNER }))
        await run(grant('Alice_1', { database: LONG }))
        assert.equal(ask('Alice_1', 'Alice_1', LONG, 'CREATE TABLE t (n int); SELECT 1;'), '1')
        // Somebody has dropped it by hand.
        await run(sql.drop([LONG], null))
        await run(sql.revoke(names, await run(sql.granted(names))))
        await run(sql.create({ ...names, ...OWNER }))
        await run(grant('bob', { database: LONG }))
        assert.equal(ask('Alice_1', 'Alice_1', LONG, 'SELECT 1;'), undefined)
        assert.equal(ask('bob', 'bob', LONG, 'SELECT 1;'), '1')
      }))

    test(
      'a copy runs what its source has in it as its own user, who cannot become root [DBS-045, INS-063]',
      { skip: !hasDump('pgsql') && 'no dump program' },
      () =>
        running('pgsql', async ({ run, ask, copy }) => {
          await run(sql.create({ ...NAMES, ...OWNER }))
          const climb =
            "BEGIN PERFORM set_config('role', 'postgres', true); ALTER ROLE shop_feature SUPERUSER; RETURN true; EXCEPTION WHEN OTHERS THEN RETURN true; END"
          const made = `CREATE FUNCTION climb() RETURNS bool LANGUAGE plpgsql AS $$ ${climb} $$; CREATE TABLE t (n int CHECK (public.climb())); INSERT INTO t VALUES (7);`
          assert.equal(ask(OWNER.user, 'owner', 'shop_one', made), '')
          await run(
            sql.create({ database: 'copy', test: null, user: 'copier', password: new Secret('copier') }),
          )
          await copy('shop_one', 'copy', 'copier', 'copier')
          assert.equal(ask('copier', 'copier', 'copy', 'SELECT n FROM t;'), '7')
          assert.deepEqual(await run('SELECT rolname FROM pg_roles WHERE rolsuper;'), ['postgres'])
        }),
    )

    test(
      'a copy of a database that several may write in has all of it, and is for its own user alone [INS-063]',
      { skip: !hasDump('pgsql') && 'no dump program' },
      () =>
        running('pgsql', async ({ run, ask, copy }) => {
          await run(sql.create({ ...NAMES, ...OWNER }))
          await run(grant('alice'))
          ask(
            'alice',
            'alice',
            'shop_one',
            'CREATE SCHEMA more; CREATE TABLE more.hers (n int); INSERT INTO more.hers VALUES (7);',
          )
          ask(OWNER.user, 'owner', 'shop_one', 'CREATE VIEW v AS SELECT n FROM more.hers;')
          await run(
            sql.create({
              database: 'copy',
              test: 'copy_test',
              user: 'copier',
              password: new Secret('copier'),
            }),
          )
          await copy('shop_one', 'copy', 'copier', 'copier')
          assert.equal(
            ask('copier', 'copier', 'copy', 'SELECT n FROM v; DROP VIEW v; DROP SCHEMA more CASCADE;'),
            '7',
          )
          assert.equal(ask('alice', 'alice', 'copy', 'SELECT 1;'), undefined)
        }),
    )
  },
)
