import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { inspect } from 'node:util'
import { DatabaseFailure, type TlsRule } from '@fleet/database-access'
import { Secret, systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import type { PostgresProof } from './postgres-asked.ts'
import { PASSWORD } from './postgres-world.ts'
import { tlsFront } from './tls-front.ts'
import { reached } from './reached.ts'

/** What every PostgreSQL is tested for, apart from its corpora and its values. */
export const POSTGRES_PROOFS: Readonly<Record<string, PostgresProof>> = {
  'what the server says of a statement stays out of the error, its causes and its stack, since those are logged':
    async ({ rows }) => {
      for (const [sql, write] of [
        [`select '${PASSWORD}'::int`, false],
        [`select * from "${PASSWORD}"`, false],
        [`update t set id = '${PASSWORD}'::int`, true],
      ] as const) {
        const failure: unknown = await rows(sql, write).catch((error: unknown) => error)
        assert.ok(failure instanceof DatabaseFailure)
        assert.ok(!inspect(failure, { depth: 9 }).includes(PASSWORD), sql)
      }
    },

  'a list of tables is not led to functions of the login by its search path': async ({ world }) => {
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
  },

  'a policy is judged where the server runs it: on a table whose row security is on': async ({ world }) => {
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
  },

  'the password is not sent to a server that asks for it in clear text': async ({ world }) => {
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
  },

  'a server that offers TLS gets everything in it, and nothing from behind its answer is believed': async ({
    world,
  }) => {
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
  },

  'a literal of a type whose domain has a check is judged before the server parses it, and of other types is read':
    async ({ world }) => {
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
    },

  'a text that no grammar reads is an error of the statement, wherever the mistake is': async ({
    failureOf,
  }) => {
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
  },

  'COPY from and to the client is not supported, and does not look like a time limit': async ({
    failureOf,
  }) => {
    for (const sql of ['copy t from stdin', 'copy t to stdout'])
      assert.deepEqual((await failureOf(sql, true)).details, { reason: 'statement', condition: '0A000' })
  },

  'a statement that runs for ever is ended at the server too': async ({ world, sessions }) => {
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
  },

  'a statement whose caller goes away is ended at the server too': async ({ world, sessions }) => {
    const controller = new AbortController()
    const catching = (): Promise<number> => sessions('select f_catches()')
    const work = world.databases.query(
      world.target,
      { sql: 'select f_catches()', write: true },
      { signal: controller.signal },
    )
    void reached(catching, 1).then(() => controller.abort())
    await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'cancelled' } })
    assert.equal(await reached(catching, 0), 0)
  },

  'tables and columns are described': async ({ world }) => {
    const names = await world.databases.tables(world.target)
    assert.ok(['t', 'v', 'mv', 'parent'].every((name) => names.includes(name)))
    const { columns } = await world.databases.describe(world.target, 'u')
    assert.deepEqual(columns, [
      { name: 'id', type: 'integer', nullable: true, default: null, primary: false },
      { name: 'note', type: 'text', nullable: true, default: null, primary: false },
    ])
    assert.deepEqual((await world.databases.describe(world.target, 'public.u')).columns, columns)
    const t = await world.databases.describe(world.target, 't')
    assert.deepEqual(t.columns[0], {
      name: 'id',
      type: 'integer',
      nullable: false,
      default: null,
      primary: true,
    })
    assert.equal(t.columns.at(-1)?.default, 'now()')
  },

  'a login that the server refuses, and a server that is not there, are distinguished': async ({ world }) => {
    const wrong = { ...world.target, database: 'nope' }
    await assert.rejects(world.databases.check(wrong), { details: { reason: 'login', condition: '3D000' } })
    const stranger = { ...world.target, password: new Secret(`${PASSWORD}.`) }
    await assert.rejects(world.databases.check(stranger), {
      details: { reason: 'login', condition: '28P01' },
    })
    const open = (): Promise<never> => Promise.reject(new Error('no route'))
    await assert.rejects(world.databases.check({ ...world.target, open }), {
      details: { reason: 'unreachable' },
    })
  },
}
