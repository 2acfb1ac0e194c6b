import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeStatement } from './judge.ts'
import { type Ask, requireReads } from './resolve.ts'

const MODE = { ansiQuotes: false, noBackslashEscapes: false }
/** Schema, name, kind, engine, definition, and `other` if it runs with the rights of another account. */
const TABLES = [
  ['shop', 't', 'BASE TABLE', 'InnoDB', null],
  ['shop', 'v', 'VIEW', null, 'select 1 AS `a`'],
  ['other', 'v_lock', 'VIEW', null, "select get_lock('a',0) AS `l`"],
  ['shop', 'T', 'VIEW', null, "select get_lock('a',0) AS `l`"],
  ['shop', 'v_unseen', 'VIEW', null, ''],
  ['shop', 'v_own', 'VIEW', null, 'select `h`.`a` AS `a` from `secret`.`h`'],
  [
    'shop',
    'v_other',
    'VIEW',
    null,
    'select `t`.`a` AS `a` from (`shop`.`t` join `secret`.`h` on(1))',
    'other',
  ],
  ['shop', 'v_over_own', 'VIEW', null, 'select `v_own`.`a` AS `a` from `shop`.`v_own`', 'other'],
  ['shop', 'v_sequence', 'VIEW', null, 'select 1 AS `1` from `shop`.`seq_1_to_9`', 'other'],
  [
    'shop',
    'v_seen',
    'VIEW',
    null,
    'with `c` as (select straight_join `x`.`a` AS `a`,`x`.`b` AS `b` from `shop`.`t` `x`)select extract(year from `x`.`d`) AS `y` ' +
      'from (`c` `x` join `shop`.`v` `y` on(`x`.`a` = (`y`.`a` + 1))) where `x`.`a` in (`y`.`a`,`y`.`b`) order by `x`.`a`,`y`.`b`',
    'other',
  ],
] as const
/** Schema, name, body, mode, definer and language of the body, and `other` as above. */
const FUNCTIONS = [
  ['shop', 'plus', 'return a + 1', '', 'root@%', 'SQL'],
  ['Pairs', 'f', 'return 1', '', 'root@%', 'SQL'],
  ['pairs', 'f', "return get_lock('a', 0)", '', 'root@%', 'SQL'],
  [
    'shop',
    'f_other',
    'return (select count(*) from t force index for order by (i), h)',
    '',
    'a@%',
    'SQL',
    'other',
  ],
  [
    'shop',
    'f_seen',
    'return (with c as (select 1 as a) select count(*) from c, t join t u on u.a = (t.a) where u.a in (c.a, t.b) group by t.a, t.b)',
    '',
    'a@%',
    'SQL',
    'other',
  ],
  ['shop', 'total', 'return (select count(*) from t)', '', 'root@%', 'SQL'],
  ['shop', 'greedy', 'return a', '', 'root@%', 'SQL'],
  ['shop', 'commented', 'return a', '', 'root@%', 'SQL'],
  ['shop', 'named', 'return a', '', 'root@%', 'SQL'],
  ['shop', 'hidden', 'return a', '', 'root@%', 'SQL'],
  ['pack', 'plus', 'return a + 1', '', 'root@%', 'SQL'],
  ['shop', 'st_léngth', 'return a', '', 'root@%', 'SQL'],
  ['shop', 'unseen', null, '', 'root@%', 'SQL'],
  ['shop', 'steps', 'begin set @a = 1; return @a; end', '', 'root@%', 'SQL'],
  ['shop', 'script', ' return a ', '', 'root@%', 'EXTERNAL'],
] as const
/** Of MariaDB: what `show create function` says, and packages. */
const HEADERS: Readonly<Record<string, string>> = {
  plus: 'CREATE DEFINER=`root`@`%` FUNCTION `plus`(a int) RETURNS int(11)\nreturn a + 1',
  total: 'CREATE FUNCTION `total`() RETURNS int(11)\nreturn (select count(*) from t)',
  greedy:
    "CREATE DEFINER=`a(`@`%` FUNCTION `greedy`(a varchar(9) default get_lock('a', (0))) RETURNS int(11)\nreturn a",
  named:
    "CREATE FUNCTION `named`(a decimal(9, 2) default round(1.5), b enum('default')) RETURNS int(11)\nreturn a",
}
const PACKAGES = ['pack'] as const

/** What the server has of the names that it is asked for, which are hexadecimal. */
const ask: Ask = (sql) => {
  if (sql.startsWith('show create function')) {
    const name = /\.`(\w+)`$/.exec(sql)?.[1] ?? ''
    return Promise.resolve([[name, '', HEADERS[name] ?? null]])
  }
  if (sql.includes("'PACKAGE'"))
    return Promise.resolve(PACKAGES.filter((name) => sql.includes(`x'${hex(name)}'`)).map((name) => [name]))
  const has = ([schema, name]: readonly (string | null)[]): boolean =>
    [schema, name].every((part) =>
      [part ?? '', withoutAccents(part ?? '')].some((text) => sql.includes(`x'${hex(text)}'`)),
    )
  if (sql.includes('information_schema.routines')) return Promise.resolve(FUNCTIONS.filter(has))
  return Promise.resolve(sql.includes('information_schema.tables') ? TABLES.filter(has) : [])
}

const hex = (text: string): string => Buffer.from(text).toString('hex')

const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '')

const reads = (sql: string, isMariadb = false): Promise<void> =>
  requireReads({ ask, database: 'shop', isMariadb }, judgeStatement(sql, MODE))
const refused = (sql: string, isMariadb = false): Promise<void> =>
  assert.rejects(async () => reads(sql, isMariadb), { code: 'database.write_required' }, sql)

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
    "explain for connection get_lock('a', 0)",
    'explain for connection 5 + sleep(1)',
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

test('a refusal says why the view or function is none that reads', async () => {
  for (const [sql, subject] of [
    [
      'select * from v_unseen',
      'the view shop.v_unseen, whose definition this login may not see without SHOW VIEW',
    ],
    ['select unseen()', 'the function shop.unseen, whose body this login may not see'],
    ['select steps()', 'the function shop.steps, whose body is more than one RETURN'],
    ['select script(1)', 'the function shop.script, whose body is not in SQL'],
    ['select missing.plus(1)', 'the function missing.plus, which this login does not see'],
    ['select plos(1)', 'the function plos'],
  ] as const)
    await assert.rejects(async () => reads(sql), { details: { reason: 'refused', subject } }, sql)
})

test('a stored function whose name is that of a harmless one but for an accent is refused, since the server may call it', async () => {
  await reads('select st_area(a) from t')
  await refused('select st_length(a) from t')
})

test('names that differ in their case alone are judged one by one', async () => {
  await reads('select * from t')
  await refused('select * from t, T')
  await reads('select Pairs.f()')
  await refused('select Pairs.f(), pairs.f()')
})

test('of stored functions that a server finds in any case, each is judged', async () => {
  const anyCase: Ask = (sql) =>
    ask(sql.replaceAll(`x'${hex('pairs')}'`, (name) => `${name} x'${hex('Pairs')}'`))
  await assert.rejects(
    requireReads(
      { ask: anyCase, database: 'shop', isMariadb: false },
      judgeStatement('select pairs.f()', MODE),
    ),
    { code: 'database.write_required' },
  )
})

test('a relation that the login does not see may act behind a view or function of another account', async () => {
  for (const sql of ['select * from v_other', 'select * from v_over_own', 'select f_other()'])
    await refused(sql)
  for (const sql of [
    'select * from v_own',
    'select * from missing',
    'select * from v_seen',
    'select f_seen()',
  ])
    await reads(sql)
  await refused('select * from v_sequence')
  await reads('select * from v_sequence', true)
})

test('words before a parenthesis that call nothing are no functions', () =>
  reads(`select sql_no_cache (1), 5 member of ('[5]') from t, lateral (select current_user_in('a')) x`))

test('what a parameter of a function of MariaDB is by default is judged with the function', async () => {
  await reads('select plus(1), named()', true)
  for (const sql of ['select greedy()', 'select greedy(1)', 'select commented()', 'select hidden(1)'])
    await refused(sql, true)
  // MySQL has no such defaults.
  await reads('select hidden(1)')
})

test('a function of a package is no read, nor is one of a schema with the name of a package', async () => {
  await reads('select shop.plus(1), t.id, upper(t.id) from t', true)
  for (const sql of [
    'select pack.plus(1)',
    'select `PACK` . plus(1)',
    'select shop.pack.plus(1)',
    'select shop.other.f(1)',
  ])
    await refused(sql, true)
  await reads('select pack.plus(1)')
})

test('plans of other connections are shown, and nothing else of them', async () => {
  for (const sql of [
    'show explain for 7',
    'SHOW ANALYZE FORMAT = JSON FOR 7',
    'show create server s',
    'show replica hosts',
  ])
    await reads(sql, true)
  for (const sql of [
    'show explain for 1 for update',
    'show explain for sleep(1)',
    'show analyze for (select 1)',
  ])
    await refused(sql, true)
})
