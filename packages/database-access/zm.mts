import { queryMysql } from './src/mysql/query.ts'
import { systemClock, Secret } from '@fleet/kernel'
import net from 'node:net'
import { readFileSync } from 'node:fs'
const sock = readFileSync('/tmp/dbdrv/msock', 'utf8').trim()
const target = {
  engine: 'mysql' as const,
  open: async () => {
    const s = net.connect(sock)
    await new Promise((r, j) => {
      s.once('connect', r)
      s.once('error', j)
    })
    return s
  },
  username: 'root',
  password: new Secret(''),
  database: 'mysql',
}
const q = async (sql: string, write = false, db = 't') => {
  const t = performance.now()
  try {
    const r = await queryMysql(
      systemClock,
      { ...target, database: db },
      { sql, write },
      { timeoutMilliseconds: 3000 },
    )
    console.log((performance.now() - t).toFixed(1), sql.slice(0, 80), '→', JSON.stringify(r).slice(0, 500))
  } catch (e: any) {
    console.log(
      (performance.now() - t).toFixed(1),
      sql.slice(0, 80),
      '✗',
      e.code,
      JSON.stringify(e.details),
      e.code ? '' : e.stack,
      e.cause?.message ?? '',
    )
  }
}
await q('create database if not exists t', true, 'mysql')
await q('select 1')
await q('select 1')
await q(
  'create table if not exists tt(id int auto_increment primary key, d datetime, z date, ts timestamp null, b blob, j json, v decimal(20,5), big bigint unsigned, bi bit(5))',
  true,
)
await q(
  "insert into tt(d,b,j,v,big,bi,ts) select now(), x'00ff', '{\"a\":1}', 1.5, 18446744073709551615, b'101', now() from seq_1_to_600",
  true,
)
await q('select * from tt limit 2')
await q('select * from tt')
await q('select * from tt limit 100000')
await q("select count(*), max(id), concat('a', id), group_concat(id) from tt where id in (1,2) group by id")
await q('select sleep(1)')
await q("select get_lock('a', 1)")
await q('select `sleep`(1)')
await q('show tables')
await q('show create table tt')
await q('explain select * from tt')
await q('describe tt')
await q('analyze select 1')
await q('create or replace view vs as select sleep(2) as s', true)
await q('select * from vs')
await q('create or replace function f1(a int) returns int deterministic return a + 1', true)
await q('select f1(2)')
await q("create or replace function f2(a int) returns int deterministic return get_lock('x', a)", true)
await q('select f2(2)')
await q('select t.f2(2)')
await q('select 1; select 2')
await q('select 1;')
await q('/*! delete */ from tt')
await q('select * from tt for update')
await q('select 1 into @x')
await q('select @x := 1')
await q('with c (a, b) as (select 1, 2) select * from c')
await q('select * from (select 1 as a) as d (x)')
await q("select repeat('x', 100000000) as r, 5 as y")
await q("select * from information_schema.tables where table_schema = 't'")
await q("select benchmark(1000000000, md5('a'))")
await q('select count(*) from seq_1_to_100000000 a, seq_1_to_100 b')
await q('select nope from tt')
await q('selec 1')
await q('update tt set v = 2 where id < 4', true)
await q(
  "select 1 as a, 2 as a, null, 'x' b, 1.5e0, -1.25, true, json_object('a', 1), date '2024-01-01', time '10:11:12', cast('0000-00-00' as date), x'41'",
)
