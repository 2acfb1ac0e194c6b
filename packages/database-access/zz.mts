import { queryPostgres } from './src/postgres/query.ts'
import { systemClock, Secret } from '@fleet/kernel'
import net from 'node:net'
import { readFileSync } from 'node:fs'
const dir = new URL(readFileSync('/tmp/dbdrv/pgurl', 'utf8')).searchParams.get('host')
const target = {
  engine: 'pgsql' as const,
  open: async () => {
    const s = net.connect(dir + '/.s.PGSQL.5432')
    await new Promise((r, j) => {
      s.once('connect', r)
      s.once('error', j)
    })
    return s
  },
  username: 'fleet',
  password: new Secret('hunter2secret'),
  database: 'postgres',
}
const q = async (sql: string, write = false) => {
  const t = performance.now()
  try {
    const r = await queryPostgres(systemClock, target, { sql, write }, { timeoutMilliseconds: 3000 })
    console.log((performance.now() - t).toFixed(1), sql.slice(0, 80), '→', JSON.stringify(r).slice(0, 700))
  } catch (e: any) {
    console.log(
      (performance.now() - t).toFixed(1),
      sql.slice(0, 80),
      '✗',
      e.code,
      JSON.stringify(e.details),
      e.code ? '' : e.stack,
      e.details?.reason === 'lost' ? e.cause : '',
    )
  }
}
await q('select 1')
await q('select 1')
await q('select 1')
await q('create schema if not exists h; create table h.t()', true)
await q(
  'create table if not exists public.tt(id serial primary key, email text, v numeric, check (length(email) > 0))',
  true,
)
await q(
  "insert into tt(email, v) select 'a' || g, g * 1.5 from generate_series(1, 2000) g returning id",
  true,
)
await q("select * from tt where lower(email) like 'a%' order by id limit 2")
await q('select count(*), max(v), min(id) from tt')
await q('select * from tt')
await q("select nextval('tt_id_seq')")
await q('select pg_sleep(1)')
await q('explain select * from tt where id = 3')
await q('explain analyze select * from tt where id = 3')
await q('explain delete from tt where id = 3')
await q('show all')
await q("select repeat('x', 1000000000)")
await q(
  "select '\\xdeadbeef'::bytea, 'NaN'::float8, 12345678901234567890::numeric, 9007199254740993::int8, now(), date '2024-01-01', array[1,2,null], '{\"a\":12345678901234567890}'::jsonb, true, interval '1 day 2 hours', 'hunter2secret', encode('hunter2secret','hex'), encode('hunter2secret','base64'), 'hunter2secret'::bytea, 1 as a, 2 as a, 'infinity'::timestamptz, array['a\"b','c,d', null]",
)
await q('select * from pg_stat_activity where pid = pg_backend_pid()')
await q('select count(*) from pg_locks')
await q("select table_name, column_name from information_schema.columns where table_name = 'tt'")
await q('select sum(i) from generate_series(1,1000000000) i')
await q('delete from tt')
await q('select 1; select 2')
await q('select * from tt for update')
await q('select frm')
await q('select * from nope')
await q(
  'with recursive r(n) as (select 1 union all select n+1 from r where n < 5) select n, row_number() over (order by n desc), sum(n) over () from r',
)
await q(
  "select json_build_object('a', 1), xmlelement(name a, 'b'), to_tsvector('english', 'cats run') @@ to_tsquery('cat')",
)
