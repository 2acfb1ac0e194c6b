import assert from 'node:assert/strict'
import type { TlsRule } from '@fleet/database-access'
import { reached } from './reached.ts'
import { PASSWORD, type ServerWorld } from './server-world.ts'

/** What a test of one product proves as that of the other does. */
export interface ServerProofs {
  rows(sql: string): Promise<readonly unknown[]>
  /** A column may have the name of a private property. */
  privateNames(): Promise<void>
  /** Values that JSON can hold come as they are, and others as texts. */
  values(): Promise<void>
  /** 500 rows, and whether there are more. */
  rowLimit(): Promise<void>
  /** The password in every encoding that the server prints for free. */
  passwordIsReplaced(): Promise<void>
  cellIsCut(): Promise<void>
  writes(): Promise<void>
  commits(): Promise<void>
  endsInTime(sql?: string): Promise<void>
  endsWithItsCaller(): Promise<void>
  tables(integer: string): Promise<void>
  refusedLogin(): Promise<void>
  tls(): Promise<void>
}

/** `sessionStatus` is the table of the status variables of a session. */
export function serverProofs(world: () => ServerWorld, sessionStatus: string): ServerProofs {
  const rows = async (sql: string): Promise<readonly unknown[]> =>
    (await world().databases.query(world().target, { sql, write: false })).rows
  const cells = async (sql: string): Promise<readonly unknown[]> =>
    Object.values(Object((await rows(sql))[0]))
  const count = async (sql: string): Promise<number> => {
    const [found] = await world().admin.query(sql)
    return Array.isArray(found) ? found.length : -1
  }
  return {
    rows,
    privateNames: async () =>
      assert.deepEqual(
        JSON.stringify(await rows('select 1 as `__proto__`, 2 as `__proto__`, 3 as b')),
        '[{"__proto__":1,"__proto___2":2,"b":3}]',
      ),
    values: async () => assert.deepEqual(await cells(VALUES), ANSWERS),
    rowLimit: async () => {
      for (const [sql, truncated] of [
        ['select id from t order by id', true],
        ['select id from t order by id limit 800', true],
        ['select id from t order by id limit 500', false],
      ] as const) {
        const result = await world().databases.query(world().target, { sql, write: false })
        assert.deepEqual([result.rows.length, result.row_count, result.truncated], [500, 500, truncated])
      }
    },
    passwordIsReplaced: async () => {
      const text = JSON.stringify(await rows(PRINTED))
      assert.doesNotMatch(text, /horse|esroh|Battery|686f727365|aG9yc2|b3JzZS|9yc2Uv/i)
      assert.match(text, /before \[REDACTED\] after/)
    },
    cellIsCut: async () => {
      const [cell, next] = await cells("select repeat('x', 12 * 1024 * 1024) as x, 5 as n")
      assert.match(String(cell), /^x{65536}… \[cut\]$/)
      assert.equal(next, 5)
      const many = Array.from({ length: 130 }, (_, index) => `repeat('x', 70000) as c${index}`).join(', ')
      assert.equal((await cells(`select ${many}, 123456789 as n`)).at(-1), 123_456_789)
    },
    writes: () => provesWrites(world()),
    commits: () => provesCommits(world()),
    endsInTime: (sql = 'select count(*) from t a, t b, t c, t d') => provesTime(world(), sql, count),
    endsWithItsCaller: () => provesCancel(world(), count),
    tables: async (integer) => {
      assert.ok((await world().databases.tables(world().target)).includes('v'))
      const { columns } = await world().databases.describe(world().target, 't')
      assert.deepEqual(columns.slice(0, 2), [
        { name: 'id', type: integer, nullable: false, default: null, primary: true },
        { name: 'name', type: 'varchar(100)', nullable: true, default: null, primary: false },
      ])
      const { admin, databases, target } = world()
      assert.deepEqual((await databases.describe(target, `${target.database}.t`)).columns, columns)
      for (const sql of [
        'create table gone (a int)',
        'create view broken as select * from gone',
        'drop table gone',
      ])
        await admin.query(sql)
      try {
        assert.ok((await databases.tables(target)).includes('broken'), 'a view whose query fails')
      } finally {
        await admin.query('drop view broken')
      }
    },
    refusedLogin: async () => {
      const wrong = { ...world().target, database: 'nope' }
      await assert.rejects(world().databases.check(wrong), {
        details: { reason: 'login', condition: 'ER_BAD_DB_ERROR' },
      })
    },
    tls: () => provesTls(world(), sessionStatus),
  }
}

const VALUES = `select 18446744073709551615 as a, 7 as b, 1.50 as c, 1.5e0, true, x'00ff', b'101' + 0,
  cast('2024-01-02 03:04:05' as datetime), date '2024-02-29', time '10:11:12', null, 'é', bits, raw from t where id = 5`

const ANSWERS = [
  '18446744073709551615',
  7,
  '1.50',
  1.5,
  1,
  { base64: 'AP8=' },
  5,
  '2024-01-02T03:04:05',
  '2024-02-29',
  '10:11:12',
  null,
  'é',
  5,
  { base64: 'AP8=' },
]

const PRINTED = `select p, reverse(p), hex(p), lower(hex(p)), to_base64(p), to_base64(concat('x', p)), quote(p),
  upper(p), json_object(p, p), cast(p as binary), concat('before ', p, ' after') from (select '${PASSWORD}' as p) x`

/** A server may leave the end of every statement to the session. */
async function provesCommits({ admin, databases, target }: ServerWorld): Promise<void> {
  await admin.query('set global autocommit = 0')
  try {
    for (const sql of ['create table kept (id int)', 'insert into kept values (1), (2)'])
      await databases.query(target, { sql, write: true })
  } finally {
    await admin.query('set global autocommit = 1')
  }
  const [kept] = await admin.query('select count(*) as n from kept')
  assert.equal(JSON.stringify(kept), '[{"n":2}]')
  await admin.query('drop table kept')
}

async function provesWrites({ databases, target }: ServerWorld): Promise<void> {
  const write = (sql: string): Promise<number> =>
    databases.query(target, { sql, write: true }).then((result) => result.row_count)
  await write('create table written (id int)')
  assert.equal(await write('insert into written values (1), (2), (3)'), 3)
  assert.equal(await write('update written set id = 9 where id > 1'), 2)
  await write('create procedure bodied() begin select 1; select 2; end')
  await write('drop procedure bodied')
  await write('drop table written')
  for (const sql of [
    'drop table a; drop table b',
    'begin; delete from t',
    'create table a (i int); drop table b',
  ])
    await assert.rejects(write(sql), { code: 'database.sql_multiple_statements' }, sql)
}

type Count = (sql: string) => Promise<number>

const OTHERS =
  'select id from information_schema.processlist where command = "Query" and id <> connection_id()'

async function provesTime({ databases, target }: ServerWorld, sql: string, count: Count): Promise<void> {
  const work = databases.query(target, { sql, write: false }, { timeoutMilliseconds: 700 })
  await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'time' } }, sql)
  assert.equal(await reached(() => count(OTHERS), 0), 0, sql)
}

async function provesCancel({ databases, target }: ServerWorld, count: Count): Promise<void> {
  const sleeping = (): Promise<number> =>
    count("select id from information_schema.processlist where info = 'do sleep(1000)'")
  const controller = new AbortController()
  const { signal } = controller
  const work = databases.query(target, { sql: 'do sleep(1000)', write: true }, { signal })
  void reached(sleeping, 1).then(() => controller.abort())
  await assert.rejects(work, { code: 'database.query_failed', details: { reason: 'cancelled' } })
  assert.equal(await reached(sleeping, 0), 0)
}

async function provesTls(world: ServerWorld, sessionStatus: string): Promise<void> {
  const cipher = async (tls?: TlsRule): Promise<unknown> => {
    const sql = `select variable_value as c from ${sessionStatus} where variable_name = 'ssl_cipher'`
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
}
