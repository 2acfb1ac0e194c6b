import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { inspect } from 'node:util'
import { after, before, describe, test } from 'node:test'
import { DatabaseFailure, type TlsRule } from '@fleet/database-access'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from './documented-values.ts'
import { PASSWORD, type PostgresWorld, startPostgresWorld } from './postgres-world.ts'
import { tlsFront } from './tls-front.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from './run-corpus.ts'
import { reached } from './reached.ts'

describe('PostgreSQL', () => {
  let world: PostgresWorld
  before(async () => {
    world = await startPostgresWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  const rows = async (sql: string, write = false): Promise<readonly unknown[]> =>
    (await world.databases.query(world.target, { sql, write })).rows
  const cells = async (sql: string): Promise<readonly unknown[]> =>
    Object.values(Object((await rows(sql))[0]))

  for (const part of parts) {
    test(`every trick of the corpus is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
      provesRefusals('postgres', world, part))
    test(`every honest read of the corpus answers: part ${part + 1}`, () =>
      provesAnswers('postgres', world, part))
  }
  test('tricks and reads of parallel callers in any order end as alone', () =>
    provesShuffled('postgres', world, testSeed()))

  test('what the server says of a statement stays out of the error, its causes and its stack, since those are logged', async () => {
    for (const [sql, write] of [
      [`select '${PASSWORD}'::int`, false],
      [`select * from "${PASSWORD}"`, false],
      [`update t set id = '${PASSWORD}'::int`, true],
    ] as const) {
      const failure: unknown = await rows(sql, write).catch((error: unknown) => error)
      assert.ok(failure instanceof DatabaseFailure)
      assert.ok(!inspect(failure, { depth: 9 }).includes(PASSWORD), sql)
    }
  })

  test('a list of tables is not led to functions of the login by its search path', async () => {
    await world.admin
      .query(`create table called (n int); create function public.same(oid, oid) returns boolean language plpgsql
      as $$ begin raise exception 'called'; end $$; create operator public.= (leftarg = oid, rightarg = oid, function = same);
      alter role fleet set search_path = public, pg_catalog`)
    try {
      assert.ok((await world.databases.tables(world.target)).includes('called'))
    } finally {
      await world.admin.query(`alter role fleet reset search_path; drop operator public.= (oid, oid);
        drop function public.same(oid, oid); drop table called`)
    }
  })

  test('a policy is judged where the server runs it: on a table whose row security is on', async () => {
    await world.admin
      .query(`create function unknown_policy() returns boolean language plpgsql as $$ begin return true; end $$;
      create table policed (id int) partition by range (id); create table policed_one partition of policed for values from (0) to (9);
      insert into policed values (1); grant select on policed, policed_one to public; create view policed_view as select * from policed;
      create policy p on policed using (unknown_policy()); create policy p on policed_one using (unknown_policy())`)
    const relations = ['policed', 'policed_one', 'policed_view']
    const isRead = async (relation: string): Promise<boolean> => {
      const asked = world.databases.query(world.target, { sql: `select id from ${relation}`, write: false })
      return asked.then(
        ({ row_count }) => row_count === 1,
        (thrown: unknown) => {
          assert.ok(thrown instanceof DatabaseFailure)
          assert.equal(thrown.code, 'database.write_required')
          return false
        },
      )
    }
    const read = async (change: string): Promise<readonly string[]> => {
      await world.admin.query(change)
      const found: string[] = []
      for (const relation of relations) if (await isRead(relation)) found.push(relation)
      return found
    }
    try {
      // What the owner is not spared is run only where it is on, too (ALTER TABLE, "FORCE ROW LEVEL SECURITY").
      assert.deepEqual(await read('alter table policed force row level security'), relations)
      // A partition that is read through its table has the policies of that alone, and could be read by itself.
      assert.deepEqual(await read('alter table policed enable row level security'), ['policed_one'])
      assert.deepEqual(await read('alter table policed_one enable row level security'), [])
      assert.deepEqual(await read('alter table policed disable row level security'), [])
      assert.deepEqual(await read('alter table policed_one disable row level security'), relations)
    } finally {
      await world.admin.query('drop table policed cascade; drop function unknown_policy()')
    }
  })

  test('the password is not sent to a server that asks for it in clear text', async () => {
    const heard: Buffer[] = []
    const impostor = createServer((socket) => {
      socket.on('error', () => undefined)
      // No TLS.
      socket.once('data', () => socket.write('N'))
      socket.on('data', (bytes) => {
        heard.push(Buffer.from(bytes))
        // AuthenticationCleartextPassword (protocol, 54.7).
        if (heard.length === 2) socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
      })
    })
    await new Promise<void>((resolve) => void impostor.listen(0, '127.0.0.1', resolve))
    const { port } = impostor.address() as AddressInfo // as: a TCP server has a port.
    const open = async (): Promise<Duplex> => connect(port, '127.0.0.1')
    const failure: unknown = await world.databases
      .check({ ...world.target, open })
      .catch((error: unknown) => error)
    await new Promise((resolve) => void impostor.close(resolve))
    assert.ok(failure instanceof DatabaseFailure)
    assert.deepEqual([failure.details.reason, Buffer.concat(heard).includes(PASSWORD)], ['login', false])
  })

  test('a server that offers TLS gets everything in it, and nothing from behind its answer is believed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-tls-'))
    const root = await ensureRoot({ directory, clock: systemClock, name: 'Test root' })
    rmSync(directory, { recursive: true })
    const { certificate, key } = await issueLeaf(root, { clock: systemClock, names: ['db'], addresses: [] })
    const context = createSecureContext({ cert: certificate, key: key.reveal() })
    for (const [answer, isRight] of [
      ['S', true],
      ['S\0', false],
      ['E', false],
    ] as const) {
      await using front = await tlsFront(world.socket, context, answer)
      const work = world.databases.query(
        { ...world.target, open: front.open },
        { sql: 'select 1 as a', write: false },
      )
      if (isRight) assert.deepEqual((await work).rows, [{ a: 1 }])
      else await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'unreachable' } })
      assert.equal(front.plain().length, 8, 'only the question whether there is TLS')
    }
    const asks = async (tls: TlsRule, answer = 'S'): Promise<unknown> => {
      await using front = await tlsFront(world.socket, context, answer)
      const work = world.databases.check({ ...world.target, open: front.open, tls })
      return await work.then(
        () => 'answered',
        (error: unknown) =>
          Object(Object(error)['details'])['condition'] ?? Object(Object(error)['details'])['reason'],
      )
    }
    const authority = root.certificate
    assert.equal(await asks({ mode: 'require', host: 'elsewhere' }), 'answered')
    assert.equal(await asks({ mode: 'verify-ca', host: 'elsewhere', authority }), 'answered')
    assert.equal(await asks({ mode: 'verify-full', host: 'db', authority }), 'answered')
    assert.equal(
      await asks({ mode: 'verify-full', host: 'elsewhere', authority }),
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
    assert.equal(await asks({ mode: 'verify-full', host: 'db' }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    for (const mode of ['require', 'verify-ca', 'verify-full'] as const)
      assert.equal(await asks({ mode, host: 'db' }, 'N'), 'tls')
    assert.equal(
      (
        await world.databases.query(
          { ...world.target, tls: { mode: 'disable', host: 'db' } },
          { sql: 'select 1', write: false },
        )
      ).row_count,
      1,
    )
  })

  test('a literal of a type whose domain has a check is judged before the server parses it, and of other types is read', async () => {
    await world.admin.query('create database domains')
    const target = { ...world.target, database: 'domains' }
    const ask = (sql: string, write = false) => world.databases.query(target, { sql, write })
    assert.equal((await ask("select '(x)'")).row_count, 1)
    for (const sql of [
      "create function loud(text) returns boolean language plpgsql as $$ begin raise 'it ran'; end $$",
      'create domain checked as text check (loud(value))',
      'create type pair as (a checked)',
    ])
      await ask(sql, true)
    await assert.rejects(ask("select '(x)'::pair"), { code: 'database.write_required' })
    assert.equal((await ask("select '(x)'")).row_count, 1)
    await world.admin.query('drop database domains with (force)')
  })

  test('a value of each type is answered as the guide says', async () => {
    await provesValues(['PostgreSQL'], world, (sql) => world.admin.query(sql))
    await world.admin.query('drop table documented')
  })

  test('values come back as JSON can hold them', async () => {
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
  })

  test('dates and times are ISO 8601, in UTC whatever the zone of the database', async () => {
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
  })

  test('a column name that occurs again gets a number that no column has', async () => {
    const { columns } = await world.databases.query(world.target, {
      sql: 'select 1 as a, 2 as a, 3 as a_2, 4 as a, 5 as "__proto__"',
      write: false,
    })
    assert.deepEqual(columns, ['a', 'a_3', 'a_2', 'a_4', '__proto__'])
  })

  test('a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]', async () => {
    const ask = (sql: string): ReturnType<typeof world.databases.query> =>
      world.databases.query(world.target, { sql, write: false })
    const many = await ask('select id from t order by id')
    assert.deepEqual([many.rows.length, many.row_count, many.truncated], [500, 500, true])
    const exact = await ask('select id from t order by id limit 500')
    assert.deepEqual([exact.rows.length, exact.row_count, exact.truncated], [500, 500, false])
  })

  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', async () => {
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
  })

  test('a cell of 200 MiB is cut, and memory stays small', async () => {
    const before = process.memoryUsage().rss
    const [cell] = await cells("select repeat('x', 200 * 1024 * 1024)")
    assert.equal(String(cell).length, 64 * 1024 + '… [cut]'.length)
    assert.match(String(cell), /^x+… \[cut\]$/)
    assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024)
  })

  test('a result has at most 1 MiB', async () => {
    const result = await world.databases.query(world.target, {
      sql: "select repeat('x', 60000) from generate_series(1, 100)",
      write: false,
    })
    assert.ok(JSON.stringify(result.rows).length <= 1024 * 1024)
    assert.equal(result.truncated, true)
  })

  test('a write runs with its flag and answers the count of rows [DB-056]', async () => {
    const write = (sql: string): Promise<number> =>
      world.databases.query(world.target, { sql, write: true }).then((result) => result.row_count)
    await write('create table written (id int)')
    assert.equal(await write('insert into written values (1), (2), (3)'), 3)
    assert.equal(await write('update written set id = id + 1 where id > 1'), 2)
    assert.deepEqual(await rows('delete from written where id = 1 returning id', true), [{ id: 1 }])
    await write('drop table written')
  })

  test('two statements are refused to a write too [DB-058]', async () => {
    const failure = await failureOf('create table a (); create table b ()', true)
    assert.equal(failure.code, 'database.sql_multiple_statements')
  })

  test('a text that no grammar reads is an error of the statement, wherever the mistake is', async () => {
    for (const [sql, position] of [
      ['selct 1', 1],
      ['select 1 frm t where', 14],
      ["select 'open", 8],
      ['(nothing', 2],
    ] as const) {
      const { code, details } = await failureOf(sql)
      assert.deepEqual(
        [code, details],
        ['database.query_failed', { reason: 'statement', condition: '42601', position }],
        sql,
      )
    }
    assert.equal((await failureOf('updat t set id = 1')).code, 'database.query_failed')
    assert.equal((await failureOf('update t sett id = 1')).code, 'database.write_required')
  })

  test('a verb that writes on other engines needs write, although this one has no such statement [DB-059]', async () => {
    for (const sql of ['replace into t values (1)', 'rename table t to made'])
      assert.equal((await failureOf(sql)).code, 'database.write_required', sql)
  })

  test('COPY from and to the client is not supported, and does not look like a time limit', async () => {
    for (const sql of ['copy t from stdin', 'copy t to stdout'])
      assert.deepEqual((await failureOf(sql, true)).details, { reason: 'statement', condition: '0A000' })
  })

  test('an error of the server is its condition and place, without text of the server [DB-071]', async () => {
    const { code, details, message } = await failureOf("select secret_column from t where name = 'canary'")
    assert.deepEqual(
      [code, details],
      ['database.query_failed', { reason: 'statement', condition: '42703', position: 8 }],
    )
    assert.doesNotMatch(message, /secret_column|canary/)
  })

  test('a statement that runs for ever is ended at the server too', async () => {
    const work = world.databases.query(
      world.target,
      {
        sql: 'select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b',
        write: false,
      },
      { timeoutMilliseconds: 500 },
    )
    await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'time' } })
    assert.equal(await sessions(), 0)
  })

  test('a statement whose caller goes away is ended at the server too', async () => {
    const controller = new AbortController()
    const work = world.databases.query(
      world.target,
      { sql: 'select f_catches()', write: true },
      { signal: controller.signal },
    )
    void reached(catching, 1).then(() => controller.abort())
    await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'cancelled' } })
    assert.equal(await reached(catching, 0), 0)
  })

  test('tables and columns are described', async () => {
    const names = await world.databases.tables(world.target)
    assert.ok(['t', 'v', 'mv', 'parent'].every((name) => names.includes(name)))
    const { columns } = await world.databases.describe(world.target, 'u')
    assert.deepEqual(columns, [
      { name: 'id', type: 'integer', nullable: true, default: null, primary: false },
      { name: 'note', type: 'text', nullable: true, default: null, primary: false },
    ])
    const t = await world.databases.describe(world.target, 't')
    assert.deepEqual(t.columns[0], {
      name: 'id',
      type: 'integer',
      nullable: false,
      default: null,
      primary: true,
    })
    assert.equal(t.columns.at(-1)?.default, 'now()')
  })

  test('an unknown table is missing [DB-070]', async () => {
    await assert.rejects(world.databases.describe(world.target, 'nope'), { code: 'database.table_missing' })
  })

  test('a login that the server refuses, and a server that is not there, are distinguished', async () => {
    const wrong = { ...world.target, database: 'nope' }
    await assert.rejects(world.databases.check(wrong), { details: { reason: 'login', condition: '3D000' } })
    const open = (): Promise<never> => Promise.reject(new Error('no route'))
    await assert.rejects(world.databases.check({ ...world.target, open }), {
      details: { reason: 'unreachable' },
    })
  })

  const failureOf = async (sql: string, write = false): Promise<DatabaseFailure> => {
    const error = await rows(sql, write).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof DatabaseFailure)
    return error
  }

  const catching = async (): Promise<number> => {
    const { rows: found } = await world.admin.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name = 'fleet' and state = 'active' and query = 'select f_catches()'",
    )
    return found[0]?.n ?? -1
  }

  const sessions = async (): Promise<number> => {
    const { rows: found } = await world.admin.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where application_name = 'fleet' and state = 'active' and query not like '%pg_terminate%' and query not like '%pg_stat_activity%'",
    )
    return found[0]?.n ?? -1
  }
})
