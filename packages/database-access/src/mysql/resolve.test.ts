import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeStatement } from './judge.ts'
import { type Ask, requireReads } from './resolve.ts'

const MODE = { ansiQuotes: false, noBackslashEscapes: false }
/** Schema, name, kind, engine and definition. */
const TABLES = [
  ['shop', 't', 'BASE TABLE', 'InnoDB', null],
  ['shop', 'v', 'VIEW', null, 'select 1 AS `a`'],
  ['other', 'v_lock', 'VIEW', null, "select get_lock('a',0) AS `l`"],
] as const
/** Schema, name, body, mode, definer and language of the body. */
const FUNCTIONS = [
  ['shop', 'plus', 'return a + 1', '', 'root@%', 'SQL'],
  ['shop', 'total', 'return (select count(*) from t)', '', 'root@%', 'SQL'],
  ['shop', 'script', ' return a ', '', 'root@%', 'EXTERNAL'],
] as const

/** What the server has of the names that it is asked for, which are hexadecimal. */
const ask: Ask = (sql) => {
  const has = ([schema, name]: readonly (string | null)[]): boolean =>
    [schema, name].every((part) => sql.includes(`x'${Buffer.from(part ?? '').toString('hex')}'`))
  if (sql.includes('information_schema.routines')) return Promise.resolve(FUNCTIONS.filter(has))
  return Promise.resolve(sql.includes('information_schema.tables') ? TABLES.filter(has) : [])
}

const reads = (sql: string, timesAll = false): Promise<void> =>
  requireReads({ ask, database: 'shop', timesAll }, judgeStatement(sql, MODE))
const refused = (sql: string, timesAll = false): Promise<void> =>
  assert.rejects(async () => reads(sql, timesAll), { code: 'database.write_required' }, sql)

test('what EXPLAIN plans in another schema is judged as it would be there', async () => {
  for (const sql of [
    'explain for schema shop select * from t',
    'explain for database `shop` select plus(1), upper(a) from v',
    'explain format=tree for schema shop delete from t where id = 1',
    'explain analyze for schema shop select * from t',
    'explain for connection 5',
  ])
    await reads(sql)
  for (const sql of [
    'explain for schema other select * from v_lock',
    'explain analyze for schema other select * from v_lock',
    "explain for schema shop select * from (select get_lock('a', 0)) x",
    'explain for schema shop select 1 into @a',
    'explain for schema performance_schema select * from log_status',
    'explain analyze for schema shop delete from t',
    'explain for something shop select 1',
  ])
    await refused(sql)
})

test('a query within a statement that the server does not end at its time is no read there', async () => {
  for (const sql of [
    'show variables where (select count(*) from t) > 0',
    'show tables where total()',
    'explain delete from t where id in (select id from t)',
    'explain update t, (select 1 as a) x set t.id = x.a',
    'explain insert into t with a as (select 1) select * from a',
    'explain insert into t select a from v',
    'explain replace into t (id) values (total())',
  ]) {
    await refused(sql)
    await reads(sql, true)
  }
  for (const sql of [
    'explain insert into t (id) (select id from t where id in (1, 2))',
    'explain delete from t where id = plus(1)',
    "show variables where variable_name in ('version') and plus(1)",
    'select (select count(*) from t), total() from v',
  ])
    await reads(sql)
})

test('a function whose body is not SQL is refused, however it begins', async () => {
  await reads('select plus(1)')
  await refused('select script(1)')
})

test('words before a parenthesis that call nothing are no functions', () =>
  reads(`select sql_no_cache (1), 5 member of ('[5]') from t, lateral (select current_user_in('a')) x`))
