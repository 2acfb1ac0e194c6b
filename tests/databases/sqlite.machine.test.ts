import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DatabaseFailure } from '@fleet/database-access'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from './documented-values.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from './run-corpus.ts'
import { PASSWORD, type SqliteWorld, startSqliteWorld } from './sqlite-world.ts'

const WRITES = [
  "insert into log values (1, 'a')",
  "replace into log values (1, 'a')",
  'update t set name = 1',
  'delete from t',
  'create table made (id integer)',
  'create index made on t (id)',
  'alter table t rename to made',
  'drop table t',
  'reindex',
  'with x as (select 1) delete from t',
  // Of other engines; here they are no statements.
  'truncate table t',
  'merge into t using log on true when matched then delete',
  'grant select on t to public',
  'rename table t to made',
]

for (const journal of ['delete', 'wal'] as const)
  describe(`SQLite in journal mode ${journal}`, () => {
    let world: SqliteWorld
    before(async () => {
      world = await startSqliteWorld(journal)
    })
    after(() => world[Symbol.asyncDispose]())

    for (const part of parts) {
      test(`every trick of the corpus is refused by its code and leaves file and folder as they were: part ${part + 1}`, () =>
        provesRefusals('sqlite', world, part))
      test(`every honest read of the corpus answers, and leaves no file behind: part ${part + 1}`, () =>
        provesAnswers('sqlite', world, part))
    }
    test('tricks and reads in any order end as alone', () => provesShuffled('sqlite', world, testSeed()))
  })

describe('SQLite', () => {
  let world: SqliteWorld
  before(async () => {
    world = await startSqliteWorld('wal')
  })
  after(() => world[Symbol.asyncDispose]())

  const query = (sql: string, write = false): ReturnType<typeof world.databases.query> =>
    world.databases.query(world.target, { sql, write })

  test('a value of each type is answered as the guide says', async () => {
    await provesValues(['SQLite'], world, (sql) => query(sql, true))
    await query('drop table documented', true)
  })

  test('values come back as JSON can hold them', async () => {
    const { rows } = await query(
      "select 9007199254740993 as a, 7 as b, 1.5 as c, 1e999 as d, x'00ff' as e, null as f, 'é' as g, printf('%s', 1) as h",
    )
    assert.deepEqual(Object.values(Object(rows[0])), [
      '9007199254740993',
      7,
      1.5,
      'Infinity',
      { base64: 'AP8=' },
      null,
      'é',
      '1',
    ])
  })

  test('the stored password is replaced [DB-057]', async () => {
    const text = JSON.stringify(
      (await query(`select p, hex(p), upper(p), cast(p as blob) from (select '${PASSWORD}' as p)`)).rows,
    )
    assert.doesNotMatch(text, /horse|686f727365/i)
  })

  test('rows, cells and result are cut at their limits [DB-054, LIM-009]', async () => {
    const many = await query('select id from t')
    assert.deepEqual([many.row_count, many.truncated], [500, true])
    const { rows } = await query("select printf('%.*c', 1000000, 'x') as x")
    assert.match(String(rows[0]?.['x']), /^x{65536}… \[cut\]$/)
  })

  test('a text that is no statement is an error of the statement, and no request for a write', async () => {
    for (const sql of ['selct 1', 'explain selct 1', 'select 1 frm t where', 'nothing'])
      await assert.rejects(query(sql), {
        code: 'database.query_failed',
        message: 'The database refused the statement (SQLITE_ERROR): syntax error.',
        details: { reason: 'statement', condition: 'SQLITE_ERROR' },
      })
  })

  test('a name that the file does not have is told', async () => {
    await assert.rejects(query('select id, naem from t'), {
      message: 'The database refused the statement (SQLITE_ERROR): no such column.',
      details: { reason: 'statement', condition: 'SQLITE_ERROR', subject: 'naem' },
    })
  })

  test('the plan of a write answers and writes nothing; what acts while it is planned is refused', async () => {
    const count = async () => (await query('select count(*) as n from t')).rows
    const before = await count()
    for (const sql of [
      "insert into log values (1, 'a')",
      'replace into log select 1, 2',
      'update t set name = 1',
      'delete from t',
    ])
      for (const explain of ['explain', 'EXPLAIN query plan', 'explain /* why */'])
        assert.ok((await query(`${explain} ${sql}`)).columns.length > 1, sql)
    assert.deepEqual(await count(), before)
    for (const sql of [
      'create table x (a)',
      'pragma user_version = 5',
      "insert into t (id) select load_extension('x')",
    ])
      await assert.rejects(query(`explain ${sql}`), { code: 'database.write_required' }, sql)
  })

  test('a statement has 16,384 characters, each counted once whatever its bytes [LIM-008]', async () => {
    const text = 'select 7 as n --'
    assert.deepEqual((await query(text.padEnd(16_384, 'é'))).rows, [{ n: 7 }])
    assert.deepEqual((await query(`${text}${'😀'.repeat(16_384 - text.length)}`)).rows, [{ n: 7 }])
    await assert.rejects(query(`${text}${'😀'.repeat(16_385 - text.length)}`), {
      details: { reason: 'statement', condition: 'invalid_text' },
    })
  })

  test('without the flag a statement that writes is refused, whatever its verb, and nothing is written [DB-059]', async () => {
    const read = async () => (await query('select count(*) as n, sum(id) as s from t')).rows
    const before = await read()
    for (const sql of WRITES) await assert.rejects(query(sql), { code: 'database.write_required' }, sql)
    assert.deepEqual(await read(), before)
    assert.ok(!(await world.databases.tables(world.target)).includes('made'))
  })

  test('a write stays within its file [DB-056]', async () => {
    assert.equal((await query("insert into log values (1, 'a'), (2, 'b')", true)).row_count, 2)
    assert.deepEqual((await query('delete from log returning what', true)).rows, [
      { what: 'a' },
      { what: 'b' },
    ])
    for (const [sql, subject] of [
      ["attach '/tmp/fleet-corpus-x.db' as x", 'ATTACH'],
      ["vacuum into '/tmp/fleet-corpus-y.db'", 'ATTACH'],
      ["select load_extension('x')", 'the function load_extension'],
      ["pragma temp_store_directory = '/tmp'", 'the pragma temp_store_directory'],
    ] as const) {
      const failure: unknown = await query(sql, true).catch((error: unknown) => error)
      assert.ok(failure instanceof DatabaseFailure)
      assert.deepEqual(
        [failure.code, failure.details],
        ['database.query_failed', { reason: 'refused', subject }],
        sql,
      )
      assert.doesNotMatch(failure.message, /with write|write it/i)
    }
    await query('vacuum', true)
  })

  test('tables and columns are described, those of the library left out', async () => {
    const names =
      'e_v_load e_v_pragma e_v_upd e_v_write ft gen jobs log migrations rt strict_t t u v v_fts v_load wr y größe ' +
      'y_categories y_ft y_ft4 y_geo y_items y_log y_orders y_paid y_rt y_strict y_trig y_users y_v2 y_vocab'
    const found = await world.databases.tables(world.target)
    assert.deepEqual(found.join(' '), names)
    const { columns } = await world.databases.describe(world.target, 't')
    for (const name of ['T', 'main.t'])
      assert.deepEqual((await world.databases.describe(world.target, name)).columns, columns)
    assert.deepEqual(columns.slice(0, 3), [
      { name: 'id', type: 'INTEGER', nullable: true, default: null, primary: true },
      { name: 'name', type: 'TEXT', nullable: false, default: null, primary: false },
      { name: 'amount', type: 'REAL', nullable: true, default: '1.5', primary: false },
    ])
  })

  const command = join(import.meta.dirname, '../../apps/executable/src/main.ts')
  const runWith = (input: string, env?: Readonly<Record<string, string>>): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = execFile(
        process.execPath,
        [command, 'node-sqlite'],
        { maxBuffer: 2 ** 24, ...(env && { env }) },
        (error, stdout) =>
          error ? reject(new Error('the command failed', { cause: error })) : resolve(stdout),
      )
      child.stdin?.end(input)
    })
  const run = (input: string): Promise<string> => runWith(input)

  test('the command of a Node answers by a child, and kills one that asks nobody for its time [DB-065]', async () => {
    const target = { ...world.target, run }
    const { rows } = await world.databases.query(target, { sql: 'select count(*) as n from t', write: false })
    assert.deepEqual(rows, [{ n: 1000 }])
    const endless = 'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r'
    await assert.rejects(
      world.databases.query(target, { sql: endless, write: false }, { timeoutMilliseconds: 3000 }),
      { code: 'database.query_failed', details: { reason: 'time' } },
    )
  })

  test('a write answers with as much of its rows as a result has room for, and counts them all [DB-056]', async () => {
    const target = { ...world.target, run }
    const write = (sql: string) => world.databases.query(target, { sql, write: true })
    await query('create table posts (id integer primary key, views integer, body text)', true)
    await query(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) insert into posts select i, 0, printf('%.*c', 40000, 'x') from n",
      true,
    )
    const { rows, row_count, truncated } = await write('update posts set views = views + 1 returning *')
    assert.deepEqual([row_count, truncated, rows[0]?.['views']], [500, true, 1])
    // One row that no answer of the command holds.
    const cells = Array.from({ length: 300 }, () => "printf('%.*c', 70000, 'x')").join(', ')
    await assert.rejects(write(`update posts set views = 7 where id = 1 returning ${cells}`), {
      code: 'database.query_failed',
      details: { reason: 'lost' },
    })
    assert.deepEqual((await query('select sum(views) as n from posts')).rows, [{ n: 506 }])
    await query('drop table posts', true)
  })

  test('a write whose answer is cut off is said to have failed, and what it wrote stays [DBS-014]', async () => {
    const count = async () => (await query('select count(*) as n from log')).rows[0]?.['n']
    const before = Number(await count())
    const cut = { ...world.target, run: async (input: string) => (await run(input)).slice(0, -20) }
    await assert.rejects(
      world.databases.query(cut, { sql: "insert into log values (1, 'cut') returning what", write: true }),
      { code: 'database.query_failed', details: { reason: 'protocol' } },
    )
    assert.equal(await count(), before + 1)
    await query("delete from log where what = 'cut'", true)
  })

  test('a Node compares the token where its variable is set, and nothing of Fleet sets that [DB-066, GW-063]', async () => {
    const [own, other] = ['a'.repeat(64), 'b'.repeat(64)]
    const ask = JSON.stringify({
      token: own,
      path: world.target.path,
      timeoutMilliseconds: 5000,
      ask: { kind: 'schema' },
    })
    const variable = 'FLEET_INTERNAL_DATABASE_TOKEN'
    const path = { PATH: '/usr/bin:/bin' }
    for (const env of [path, { ...path, [variable]: own }])
      assert.doesNotMatch(await runWith(ask, env), /"reason":"login"/)
    assert.match(await runWith(ask, { ...path, [variable]: other }), /"reason":"login"/)
    const root = join(import.meta.dirname, '../..')
    const naming = globSync('{packages,apps,lab}/**/*.{ts,sh}', {
      cwd: root,
      exclude: ['**/node_modules'],
    }).filter((file) => readFileSync(join(root, file), 'utf8').includes(variable))
    assert.deepEqual(naming, ['packages/database-access/src/env.ts'])
  })

  test('a token that is none is refused by the command [DB-066]', async () => {
    const ask = {
      token: 'a'.repeat(63),
      path: world.target.path,
      timeoutMilliseconds: 5000,
      ask: { kind: 'schema' },
    }
    assert.match(await run(JSON.stringify(ask)), /"reason":"login"/)
  })
})
