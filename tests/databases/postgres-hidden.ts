import assert from 'node:assert/strict'
import { Client } from 'pg'
import type { Asked } from './postgres-asked.ts'
import { outcome } from './corpus.ts'
import type { PostgresWorld } from './postgres-world.ts'

/** Names that the server prints in more than 78 bytes, the last of them a brace. */
const OPENS = `${'{'.repeat(38)}a{q`
const CLOSES = `${'{'.repeat(38)}a}q`

/** `pg_stat_reset` returns nothing and is seen afterwards; `lk` takes a lock that somebody else holds. */
const SETUP = `
create table nums (a int, j jsonb, t text[]); insert into nums values (1, '{"a": 1}', '{a}');
create function lk(int) returns int language plpgsql immutable as $$ begin perform pg_advisory_lock(4711); return $1; end $$;
create function est(internal, oid, internal, integer) returns float8 language internal as 'pg_stat_reset';
create operator === (leftarg = int, rightarg = int, function = int4eq, restrict = est);
create function supp(internal) returns internal language internal as 'pg_stat_reset';
create function with_support(int) returns setof int language sql immutable as 'select generate_series(1, $1)';
alter function with_support(int) support supp;
create function lex(internal, internal, internal, internal) returns internal language internal as 'pg_stat_reset';
create text search template own_template (lexize = lex);
create text search dictionary own_words (template = own_template);
create text search configuration own_config (copy = simple);
alter text search configuration own_config alter mapping for asciiword with own_words;
create function handler(internal) returns index_am_handler language internal as 'pg_stat_reset';
create access method own_method type index handler handler;
create function hash_l(int, bigint) returns bigint language plpgsql immutable as $$ begin return lk(1); end $$;
create operator class own_hash for type int using hash as operator 1 =, function 2 hash_l(int, bigint);
create table hashed (id int) partition by hash (id own_hash);
create function bool_l(int, int) returns bool language plpgsql immutable as $$ begin return lk(1) = 1; end $$;
create operator !==== (leftarg = int, rightarg = int, function = bool_l);
create operator ==== (leftarg = int, rightarg = int, function = int4eq, negator = !====);
create function big_l(bigint, int) returns bool language plpgsql immutable as $$ begin return lk(1) = 1; end $$;
create operator =##= (leftarg = bigint, rightarg = int, function = big_l);
create operator =##= (leftarg = int, rightarg = bigint, function = int48eq, commutator = =##=);
create domain d_own as int check (lk(value) = 1);
create function over(int) returns int language sql immutable as 'select 1';
create function over(text) returns int language plpgsql immutable as $$ begin return lk(1); end $$;
create function over_any(anyelement) returns int language sql immutable as 'select over($1)';
create function keep(text, anyelement) returns text language sql immutable as 'select $1';
create aggregate last_of_text(anyelement) (sfunc = keep, stype = text, finalfunc = over_any, initcond = 'x');
create function step_any(anyelement, anycompatible, anycompatible) returns anyelement language sql immutable as
  'select case when over($1) = 1 then $1 end';
create aggregate of_text(anyelement, anycompatible) (sfunc = step_any, stype = text, initcond = 'x');
create function step_last(anyelement, anyelement) returns anyelement language sql immutable as 'select case when over($1) = 1 then $2 end';
create aggregate of_moving_text(anyelement) (sfunc = step_last, stype = anyelement, finalfunc = over_any,
  msfunc = keep, minvfunc = keep, mstype = text, mfinalfunc = over_any, minitcond = 'x');
create function broken("${OPENS}" int, b int, c anyelement) returns int language sql immutable as 'select over($3)';
create function breaks("${CLOSES}" text) returns text language sql immutable as $$ select 'x'::text $$;
create function own_alias(x int) returns int language sql immutable as $$ select over(x) from (select 'a'::text as x) "${OPENS}" $$;
create function own_quote(x int) returns int language sql immutable as $$ select over(x) from (select 1 as "a""b", 'a'::text as x) q $$;
create function over(smallint) returns int language plpgsql immutable as $$ begin return lk(1); end $$;
create function own_escape(x smallint) returns int language sql immutable as $$ select over(U&"\\0078") from (select 1 as "\\0078") q $$;
create function own_escapes(x smallint) returns int language sql immutable as
  $$ select over(own_escapes.u&"\\0078") from (select 1 as "\\0078") q $$;
create type pair as (a int);
create function pair_text(pair) returns text language plpgsql immutable as $$ begin return lk(1); end $$;
create cast (pair as text) with function pair_text(pair);
create table pairs (p pair); insert into pairs values (row(1));
create view paired as select 'p' || p as p from pairs;
create or replace function pg_catalog.char_length(text) returns int language internal immutable as 'pg_stat_reset';
alter function pg_catalog.pg_stat_clear_snapshot() immutable;
create or replace function pg_catalog.bit_length(bytea) returns int language plpgsql immutable as $$ begin return public.lk(1); end $$;
create or replace function pg_catalog.quote_literal(anyelement) returns text language sql stable as 'select public.lk(1)::text';
create or replace function pg_catalog.quote_nullable(text) returns text language sql stable as 'select public.lk(1)::text';
set check_function_bodies = off;
create function with_literal() returns int[] language sql as $$ select ('{5}'::d_own[])::int[] $$;
create function conv(integer, integer, cstring, internal, integer, boolean) returns integer language internal as 'pg_stat_reset';
create default conversion own_conversion for 'SJIS' to 'LATIN1' from conv;
create function sort_l(internal) returns void language internal as 'pg_stat_reset';
alter operator family pg_catalog.jsonb_ops using btree add function 2 (jsonb, jsonb) sort_l(internal);
alter operator family pg_catalog.array_ops using btree add function 2 (anyarray, anyarray) sort_l(internal);
create function step_l(int, int) returns int language plpgsql immutable as $$ begin return lk($2); end $$;
create or replace aggregate pg_catalog.bit_xor(int) (sfunc = step_l, stype = int);
create or replace function pg_catalog.bit_length(text) returns int language sql immutable as 'select public.lk(1)';
create or replace function pg_catalog.array_ndims(anyarray) returns int language sql immutable as 'select public.lk(1)';
create or replace function pg_catalog.make_interval(years int default 0, months int default 0, weeks int default 0, days int default 0,
  hours int default public.lk(9), mins int default 0, secs float8 default 0.0) returns interval language internal strict immutable as 'make_interval';
alter domain information_schema.sql_identifier add constraint own check (public.lk(length(value::text)) > 0) not valid;`

const TRICKS = [
  'select * from nums where a === 1',
  'explain select * from nums where a === 1',
  'select * from with_support(3)',
  "select to_tsvector('own_config', 'word')",
  "select ts_lexize('own_words', 'word')",
  "select websearch_to_tsquery('own_config', 'word')",
  "select ts_debug('own_config', 'word')",
  "select pg_indexam_has_property(oid, 'can_order') from pg_am",
  "select satisfies_hash_partition('hashed'::regclass, 2, 0, 1)",
  "select pg_get_partition_constraintdef('hashed'::regclass)",
  'select * from nums where not (a ==== 2)',
  'select * from nums where not (a ==== any (array[2, 3]))',
  'select * from nums n, (select 5::bigint as i) o where n.a =##= o.i',
  "select fmgr_sql_validator('with_literal'::regproc)",
  "select convert('x', 'SJIS', 'LATIN1')",
  'select j from nums order by j',
  'select t from nums order by t',
  'select bit_xor(a) from nums',
  "select bit_length('abc')",
  'select array_ndims(t) from nums',
  'select make_interval(days => 3)',
  'select table_name from information_schema.tables',
  "select 'x'::information_schema.sql_identifier",
  'select last_of_text(a) from nums',
  'select of_text(a, a) from nums',
  'select of_moving_text(a) over (order by a rows between 1 preceding and current row) from nums',
  `select broken("${OPENS}" => 1, b => 2, c => breaks("${CLOSES}" => 'x'::text))`,
  'select own_alias(1)',
  'select own_quote(1)',
  'select own_escape(1::smallint)',
  'select own_escapes(1::smallint)',
  "select 'p' || p from pairs",
  'select quote_literal(a) from nums',
  'select p from paired',
  'select quote_nullable(a) from nums',
  "select bit_length('x'::bytea)",
  "select char_length('x')",
  'select pg_stat_clear_snapshot()',
]

const HONEST = [
  'select p from pairs',
  "select 'n' || a from nums",
  "select 'n' || (select a from nums)",
  "select a, lower('X'), a = 1, sum(a) over () from nums where not a = 2 order by a",
]

/** Of a type whose functions run while a statement is parsed. */
const TYPE = `
create type own; create function own_in(cstring) returns own strict immutable language internal as 'int4in';
create function own_out(own) returns cstring strict immutable language internal as 'int4out';
create function own_modifier(cstring[]) returns int language internal as 'pg_stat_reset';
create function own_subscript(internal) returns internal language internal as 'pg_stat_reset';
create type own (input = own_in, output = own_out, typmod_in = own_modifier, subscript = own_subscript, internallength = 4, passedbyvalue);
create table owned (e own);`
const PARSED = [
  'select null::own(1)',
  'select e[1] from owned',
  "select '1'::own(3)",
  "select to_regtype('own(1)')",
]

/** What nobody names in a statement, and the server runs for it all the same (decision 0279). */
export const HIDDEN_PROOFS: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  'code that no tree names is not run: of the planner, of text search, of types, of replaced functions': ({
    world,
  }) => withDatabase(world, (admin) => provesHidden(world, admin)),
}

async function provesHidden(world: PostgresWorld, admin: Client): Promise<void> {
  const answers = (sql: string): Promise<string> =>
    outcome(() =>
      world.databases.query(
        { ...world.target, database: 'hidden' },
        { sql, write: false },
        { timeoutMilliseconds: 30_000 },
      ),
    )
  const wrong = async (statements: readonly string[], right: string): Promise<readonly string[]> => {
    const found: string[] = []
    for (const sql of statements) {
      const answer = await answers(sql)
      if (answer !== right) found.push(`${sql} → ${answer}`)
    }
    return found
  }
  await admin.query(SETUP)
  await admin.query('select pg_advisory_lock(4711)')
  const before = await resets(admin)
  assert.deepEqual(await wrong(TRICKS, REFUSED), [])
  assert.deepEqual(await wrong(HONEST, 'answered'), [])
  await admin.query(TYPE)
  assert.deepEqual(await wrong(PARSED, REFUSED), [])
  assert.equal(await resets(admin), before)
}

const REFUSED = 'database.write_required refused'

async function resets(admin: Client): Promise<string> {
  const { rows } = await admin.query("select stats_reset from pg_stat_database where datname = 'hidden'")
  return JSON.stringify(rows)
}

async function withDatabase(world: PostgresWorld, work: (admin: Client) => Promise<void>): Promise<void> {
  await world.admin.query('create database hidden')
  const { host, port, user, password } = world.admin
  const admin = new Client({
    host,
    port,
    database: 'hidden',
    ...(user ? { user } : {}),
    ...(password ? { password } : {}),
  })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
    await world.admin.query('drop database hidden with (force)')
  }
}
