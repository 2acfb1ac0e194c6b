import assert from 'node:assert/strict'
import type { QueryResult } from '@fleet/database-access'
import { provesValues } from './documented-values.ts'
import type { PostgresProof } from './postgres-asked.ts'
import { PASSWORD } from './postgres-world.ts'

/** What a statement answers. */
export const POSTGRES_RESULTS: Readonly<Record<string, PostgresProof>> = {
  'a value of each type is answered as the guide says': async ({ world }) => {
    await provesValues(['PostgreSQL'], world, (sql) => world.admin.query(sql))
    await world.admin.query('drop table documented')
  },

  'values come back as JSON can hold them': async ({ cells }) => {
    assert.deepEqual(
      await cells(`select 9007199254740993::int8, 7::int8, 1.50::numeric, 'NaN'::numeric, 'NaN'::float8,
        '-Infinity'::float4, 1.5::float8, true, '\\x00ff'::bytea, array[1, null, 3], array[['a"b', 'c,d'], ['', 'NULL']],
        '{"a": 12345678901234567890, "b": [1.5, null]}'::jsonb, '[1]'::json, null::int`),
      [
        '9007199254740993',
        7,
        '1.50',
        'NaN',
        'NaN',
        '-Infinity',
        1.5,
        true,
        { base64: 'AP8=' },
        [1, null, 3],
        [
          ['a"b', 'c,d'],
          ['', 'NULL'],
        ],
        { a: '12345678901234567890', b: [1.5, null] },
        [1],
        null,
      ],
    )
  },

  'dates and times are ISO 8601, in UTC whatever the zone of the database': async ({ cells }) => {
    assert.deepEqual(
      await cells(`select date '2024-02-29', timestamp '2024-01-02 03:04:05.678', timestamptz '2024-01-02 03:04:05+02',
        time '03:04', interval '1 day 2 hours', 'infinity'::timestamptz, date '0044-03-15 BC'`),
      [
        '2024-02-29',
        '2024-01-02T03:04:05.678',
        '2024-01-02T01:04:05Z',
        '03:04:00',
        'P1DT2H',
        'infinity',
        '0044-03-15 BC',
      ],
    )
  },

  'a date that is written in the order of the role is read and stored in that order': async ({
    world,
    cells,
  }) => {
    await world.admin.query("alter role fleet set datestyle to 'SQL, DMY'; create table noted (at date)")
    try {
      assert.deepEqual(await cells("select date '02/03/2024', '15.01.2024'::date"), [
        '2024-03-02',
        '2024-01-15',
      ])
      await world.databases.query(world.target, {
        sql: "insert into noted values ('02/03/2024')",
        write: true,
      })
      assert.deepEqual(await cells('select at from noted'), ['2024-03-02'])
    } finally {
      await world.admin.query('alter role fleet reset datestyle; drop table noted')
    }
  },

  'a read of a superuser may fill 4 GB with temporary files': async ({ cells }) => {
    assert.deepEqual(
      await cells("select current_setting('temp_file_limit'), current_setting('is_superuser')"),
      ['4GB', 'on'],
    )
  },

  'a column name that occurs again gets a number that no column has': async ({ world }) => {
    const { columns } = await world.databases.query(world.target, {
      sql: 'select 1 as a, 2 as a, 3 as a_2, 4 as a, 5 as "__proto__"',
      write: false,
    })
    assert.deepEqual(columns, ['a', 'a_3', 'a_2', 'a_4', '__proto__'])
  },

  'a cell of 120 MiB is cut, and memory stays small': async ({ cells }) => {
    const before = process.memoryUsage().rss
    const [cell] = await cells("select repeat('x', 120 * 1024 * 1024)")
    assert.equal(String(cell).length, 64 * 1024 + '… [cut]'.length)
    assert.match(String(cell), /^x+… \[cut\]$/)
    assert.ok(process.memoryUsage().rss - before < 90 * 1024 * 1024)
  },

  'a long binary value is cut and says so, and a number behind a long row is whole': async ({ cells }) => {
    const binary = (bytes: number) => cells(`select decode(repeat('ab', ${bytes}), 'hex')`)
    const base64 = Buffer.alloc(64 * 1024, 0xab).toString('base64')
    assert.deepEqual(await binary(64 * 1024), [{ base64 }])
    for (const more of [64 * 1024 + 1, 1024 * 1024])
      assert.deepEqual(await binary(more), [{ base64, cut: true }])
    const many = Array.from({ length: 130 }, () => "repeat('x', 150000)").join(', ')
    const row = await cells(`select ${many}, repeat('y', 100000), 123456789`)
    assert.match(String(row[130]), /^y+… \[cut\]$/)
    assert.equal(row[131], 123_456_789)
  },

  'a result has at most 1 MiB': async ({ world }) => {
    const result = await world.databases.query(world.target, {
      sql: "select repeat('x', 60000) from generate_series(1, 100)",
      write: false,
    })
    assert.ok(JSON.stringify(result.rows).length <= 1024 * 1024)
    assert.equal(result.truncated, true)
  },
}

/** The same for tests that cite a requirement. */
export const postgresRows = {
  rowLimit: async ({ world }) => {
    const ask = (sql: string): Promise<QueryResult> =>
      world.databases.query(world.target, { sql, write: false })
    const many = await ask('select id from t order by id')
    assert.deepEqual([many.rows.length, many.row_count, many.truncated], [500, 500, true])
    const exact = await ask('select id from t order by id limit 500')
    assert.deepEqual([exact.rows.length, exact.row_count, exact.truncated], [500, 500, false])
  },

  passwordIsReplaced: async ({ rows }) => {
    const text = JSON.stringify(
      await rows(`select p, reverse(p), encode(p::bytea, 'hex'), upper(encode(p::bytea, 'hex')), encode(p::bytea, 'base64'),
        encode(('x' || p)::bytea, 'base64'), encode(('xy' || p || 'z')::bytea, 'base64'), p::bytea, to_json(p), quote_literal(p),
        upper(p), json_build_object(p, p), array[p], 'before ' || p || ' after', md5(p), 'md5' || md5(p || 'fleet'),
        encode(sha256(p::bytea), 'hex'), encode((repeat('z', 50) || p || 'end')::bytea, 'base64')
        from (select '${PASSWORD}'::text as p) x`),
    )
    assert.doesNotMatch(text, /horse|esroh|Battery|686f727365|aG9yc2|b3JzZS|9yc2Uv|[0-9a-f]{20}/i)
    // What is left around a password in base64 decodes to nothing of it.
    assert.doesNotMatch(text, /IDc|A3|IDd|gN2|DdlbmQ/)
    assert.match(text, /before \[REDACTED\] after/)
  },

  writes: async ({ world, rows }) => {
    const write = (sql: string): Promise<number> =>
      world.databases.query(world.target, { sql, write: true }).then((result) => result.row_count)
    await write('create table written (id int)')
    assert.equal(await write('insert into written values (1), (2), (3)'), 3)
    assert.equal(await write('update written set id = id + 1 where id > 1'), 2)
    assert.deepEqual(await rows('delete from written where id = 1 returning id', true), [{ id: 1 }])
    await write('drop table written')
  },

  twoStatements: async ({ failureOf }) => {
    const failure = await failureOf('create table a (); create table b ()', true)
    assert.equal(failure.code, 'database.sql_multiple_statements')
  },

  foreignVerbs: async ({ failureOf }) => {
    for (const sql of ['replace into t values (1)', 'rename table t to made'])
      assert.equal((await failureOf(sql)).code, 'database.write_required', sql)
  },

  errors: async ({ failureOf }) => {
    const { code, details, message } = await failureOf("select secret_column from t where name = 'canary'")
    assert.deepEqual(
      [code, details],
      [
        'database.query_failed',
        { reason: 'statement', condition: '42703', position: 8, subject: 'secret_column' },
      ],
    )
    assert.match(message, /\(42703, at character 8\): no such column\.$/)
    assert.doesNotMatch(message, /secret_column|canary/)
  },

  unknownTable: async ({ world }) => {
    await assert.rejects(world.databases.describe(world.target, 'nope'), { code: 'database.table_missing' })
  },
} as const satisfies Readonly<Record<string, PostgresProof>>
