import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { TlsRule } from '@fleet/database-access'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from './documented-values.ts'
import { type MariadbWorld, missingMariadb, PASSWORD, startMariadbWorld } from './mariadb-world.ts'
import { reached } from './reached.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from './run-corpus.ts'

describe('MariaDB', { skip: missingMariadb() ?? false }, () => {
  let world: MariadbWorld
  before(async () => {
    world = await startMariadbWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  const rows = async (sql: string, write = false): Promise<readonly unknown[]> =>
    (await world.databases.query(world.target, { sql, write })).rows
  const cells = async (sql: string): Promise<readonly unknown[]> =>
    Object.values(Object((await rows(sql))[0]))

  for (const part of parts) {
    test(`every trick of the corpus is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
      provesRefusals('mariadb', world, part))
    test(`every honest read of the corpus answers: part ${part + 1}`, () =>
      provesAnswers('mariadb', world, part))
  }
  test('tricks and reads of parallel callers in any order end as alone', () =>
    provesShuffled('mariadb', world, testSeed()))

  test('a value of each type is answered as the guide says', async () => {
    const { admin } = world
    // Zero dates are kept by servers that once allowed them.
    await admin.query("set names utf8mb4, @mode = @@sql_mode, sql_mode = '', time_zone = '+00:00'")
    await provesValues('MySQL and MariaDB', world, (sql) => admin.query(sql))
    await admin.query('drop table documented')
    await admin.query('set sql_mode = @mode')
  })

  test('a column may have the name of a private property', async () => {
    assert.deepEqual(
      JSON.stringify(await rows('select 1 as `__proto__`, 2 as `__proto__`, 3 as b')),
      '[{"__proto__":1,"__proto___2":2,"b":3}]',
    )
  })

  test('values come back as JSON can hold them', async () => {
    assert.deepEqual(
      await cells(`select 18446744073709551615 as a, 7 as b, 1.50 as c, 1.5e0, true, x'00ff', b'101' + 0, cast('0000-00-00' as date),
        cast('2024-01-02 03:04:05' as datetime), date '2024-02-29', time '10:11:12', null, 'é',
        bits, raw from t where id = 5`),
      [
        '18446744073709551615',
        7,
        '1.50',
        1.5,
        1,
        { base64: 'AP8=' },
        5,
        '0000-00-00',
        '2024-01-02T03:04:05',
        '2024-02-29',
        '10:11:12',
        null,
        'é',
        5,
        { base64: 'AP8=' },
      ],
    )
  })

  test('a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]', async () => {
    for (const [sql, truncated] of [
      ['select id from t order by id', true],
      ['select id from t order by id limit 800', true],
      ['select id from t order by id limit 500', false],
    ] as const) {
      const result = await world.databases.query(world.target, { sql, write: false })
      assert.deepEqual([result.rows.length, result.row_count, result.truncated], [500, 500, truncated])
    }
  })

  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', async () => {
    const text = JSON.stringify(
      await rows(`select p, reverse(p), hex(p), lower(hex(p)), to_base64(p), to_base64(concat('x', p)), quote(p),
        upper(p), json_object(p, p), cast(p as binary), concat('before ', p, ' after') from (select '${PASSWORD}' as p) x`),
    )
    assert.doesNotMatch(text, /horse|esroh|Battery|686f727365|aG9yc2|b3JzZS|9yc2Uv/i)
    assert.match(text, /before \[REDACTED\] after/)
  })

  test('what the server stores for the password is replaced wherever it prints it [DB-057]', async () => {
    const once = createHash('sha1').update(PASSWORD).digest()
    const stored = createHash('sha1').update(once).digest('hex').toUpperCase()
    const part = 'substr(authentication_string, 2)'
    for (const sql of [
      'show grants',
      'show create user',
      "select priv from mysql.global_priv where user = 'root'",
      `select authentication_string, hex(${part}), to_base64(${part}), reverse(${part}), unhex(${part}), lower(${part})
        from mysql.user where user = 'root'`,
    ]) {
      const text = JSON.stringify(await rows(sql))
      assert.match(text, /\[REDACTED\]/, sql)
      for (const form of [
        stored,
        stored.toLowerCase(),
        Buffer.from(stored).toString('hex').toUpperCase(),
        Buffer.from(stored).toString('base64').slice(0, -4),
        Buffer.from(stored, 'hex').toString('base64'),
        Array.from(stored).toReversed().join(''),
      ])
        assert.ok(!text.includes(form), `${sql} prints ${form}`)
    }
  })

  test('a cell of 12 MiB is cut', async () => {
    const [cell, next] = await cells("select repeat('x', 12 * 1024 * 1024) as x, 5 as n")
    assert.match(String(cell), /^x{65536}… \[cut\]$/)
    assert.equal(next, 5)
  })

  test('a write runs with its flag and answers the count of rows [DB-056]', async () => {
    const write = (sql: string): Promise<number> =>
      world.databases.query(world.target, { sql, write: true }).then((result) => result.row_count)
    await write('create table written (id int)')
    assert.equal(await write('insert into written values (1), (2), (3)'), 3)
    assert.equal(await write('update written set id = 9 where id > 1'), 2)
    await write('create procedure bodied() begin select 1; select 2; end')
    await write('drop procedure bodied')
    await write('drop table written')
    await assert.rejects(write('drop table a; drop table b'), { code: 'database.sql_multiple_statements' })
  })

  test('a statement that runs for ever is ended at the server too', async () => {
    const work = world.databases.query(
      world.target,
      { sql: 'select count(*) from t a, t b, t c, t d', write: false },
      { timeoutMilliseconds: 700 },
    )
    await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'time' } })
    assert.equal(await reached(others, 0), 0)
  })

  test('a statement whose caller goes away is killed', async () => {
    const controller = new AbortController()
    const work = world.databases.query(
      world.target,
      { sql: 'do sleep(1000)', write: true },
      { signal: controller.signal },
    )
    void reached(sleeping, 1).then(() => controller.abort())
    await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'cancelled' } })
    assert.equal(await reached(sleeping, 0), 0)
  })

  test('tables and columns are described', async () => {
    assert.ok((await world.databases.tables(world.target)).includes('v'))
    const { columns } = await world.databases.describe(world.target, 't')
    assert.deepEqual(columns.slice(0, 2), [
      { name: 'id', type: 'int(11)', nullable: false, default: null, primary: true },
      { name: 'name', type: 'varchar(100)', nullable: true, default: null, primary: false },
    ])
  })

  test('a login that the server refuses is one', async () => {
    const wrong = { ...world.target, database: 'nope' }
    await assert.rejects(world.databases.check(wrong), {
      details: { reason: 'login', condition: 'ER_BAD_DB_ERROR' },
    })
  })

  test('TLS is used where it is offered, and required and verified where the connection says so', async () => {
    const cipher = async (tls?: TlsRule): Promise<unknown> => {
      const sql =
        "select variable_value as c from information_schema.session_status where variable_name = 'ssl_cipher'"
      const target = tls === undefined ? world.target : { ...world.target, tls }
      return (await world.databases.query(target, { sql, write: false })).rows[0]?.['c']
    }
    const { authority } = world
    for (const tls of [
      undefined,
      { mode: 'prefer', host: 'db' },
      { mode: 'require', host: 'db' },
      { mode: 'verify-ca', host: 'elsewhere', authority },
      { mode: 'verify-full', host: 'db', authority },
    ] as const)
      assert.match(String(await cipher(tls)), /^TLS_|AES|CHACHA/, tls?.mode ?? 'nothing said')
    assert.equal(await cipher({ mode: 'disable', host: 'db' }), '')
    for (const [tls, condition] of [
      [{ mode: 'verify-full', host: 'elsewhere', authority }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [{ mode: 'verify-full', host: '127.0.0.1', authority }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [{ mode: 'verify-full', host: 'db' }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ] as const)
      await assert.rejects(cipher(tls), {
        code: 'database.query_failed',
        details: { reason: 'tls', condition },
      })
  })

  const sleeping = async (): Promise<number> => {
    const [found] = await world.admin.query(
      "select id from information_schema.processlist where info = 'do sleep(1000)'",
    )
    return Array.isArray(found) ? found.length : -1
  }

  const others = async (): Promise<number> => {
    const [found] = await world.admin.query(
      'select id from information_schema.processlist where command = "Query" and id <> connection_id()',
    )
    return Array.isArray(found) ? found.length : -1
  }
})
