import { HIDDEN_CODE, isOwn } from './hidden-code.ts'
import type { Settings } from './set-config.ts'
import type { TreeIds } from './tree.ts'

/** What the catalogs say about the objects of a tree. `trees` run; of `ambient` trees only constants are folded. */
export interface CatalogAnswer {
  readonly functions: readonly CatalogFunction[]
  /** Relations that are no tables, indexes, views or sequences, as foreign tables. */
  readonly strangers: readonly string[]
  /** What leads to code that no tree names: functions and operators by their names. */
  readonly hidden: readonly string[]
  /** Relations whose library the server loads to read them: those of access methods that somebody has created. */
  readonly libraries: readonly string[]
  /** Functions of somebody's own that cast the types of a tree to text, for what does so without naming them. */
  readonly textCasts: readonly number[]
  readonly trees: readonly string[]
  readonly ambient: readonly string[]
  /** Of partial indexes. A scan may check one again, where the statement says no more than a part of it. */
  readonly predicates: readonly string[]
  /** Relations with a generated column that is stored nowhere: its expression takes the place of the column. */
  readonly generated: readonly string[]
  readonly objects: readonly number[]
  readonly calls: readonly number[]
}

/** An aggregate that a function is a part of. */
export interface Aggregate {
  readonly id: number
  /** `n`; of an ordered set `o` or `h`, whose parts are not given all arguments (pg_aggregate.aggkind). */
  readonly kind: string
  /** Of its state, and of that of a moving window if it has one. */
  readonly stateTypes: readonly number[]
  readonly argumentTypes: readonly number[]
}

/** A row of pg_proc. */
export interface CatalogFunction {
  readonly id: number
  readonly schema: string
  readonly name: string
  readonly volatility: string
  readonly language: string
  readonly isAggregate: boolean
  readonly extension: string | null
  /** What it sets while it runs, as `name=value`. */
  readonly settings: readonly string[] | null
  /** The role that it runs as, when that is not its caller's (SECURITY DEFINER). */
  readonly definer: string | null
  /** Whether something else than a call or an aggregate leads to it, such as an operator class. */
  readonly isIndirect: boolean
  /** Aggregates that call it. */
  readonly partOf: readonly Aggregate[]
  readonly source: string
  readonly body: string | null
  /** Query tree of the defaults of its arguments. */
  readonly defaults: string | null
  readonly argumentTypes: readonly number[]
  /** Of the arguments alone, in their order. */
  readonly argumentNames: readonly string[] | null
}

/** array_in and array_recv: what they call follows from the type of the elements. */
const ARRAY_INPUT = [750, 2400]

/** What the classes for every array, record, enum, range and multirange are declared for. */
const CLASS_TYPE = `case when t.typelem <> 0 then 2277 else
          case t.typtype when 'c' then 2249 when 'p' then t.oid when 'e' then 3500 when 'r' then 3831 when 'm' then 4537 end end`

/** The functions of an aggregate (pg_aggregate). */
const PARTS =
  'aggtransfn aggfinalfn aggcombinefn aggserialfn aggdeserialfn aggmtransfn aggminvtransfn aggmfinalfn'.split(
    ' ',
  )

/** Where the statement below finds the ids: without parameters, its plan is the same for all of them. */
const given = (name: keyof TreeIds): string => `pg_catalog.current_setting('fleet.${name}')::pg_catalog.oid[]`

/** Settings that have the ids of a tree, for CATALOG_QUERY in the same transaction. */
export const catalogSettings = (ids: TreeIds): Settings =>
  Object.fromEntries(
    (['functions', 'types', 'sortOperators', 'objects'] as const).map((name) => [
      `fleet.${name}`,
      `{${ids[name].join(',')}}`,
    ]),
  )

/**
 * A class that is no default is used for an operator that leads to it. The server takes the first of the families of an
 * operator, so an operator of a family of the system leads to none of somebody's own.
 */
const IS_NAMED_BY_OPERATOR = `exists (select from pg_catalog.pg_amop a where a.amopfamily = o.opcfamily and (
        a.amopopr in (select id from given) or (a.amopopr = any(${given('sortOperators')}) and not exists (select from pg_catalog.pg_amop b
          where b.amopopr = a.amopopr and b.amopmethod = a.amopmethod and b.amopfamily < 16384))))`

/** The names that a body may call its arguments by: those of results, as of RETURNS TABLE, are none of them. */
const INPUT_NAMES = `case when p.proargmodes is null then p.proargnames else (
      select pg_catalog.array_agg(a.name order by a.at) from unnest(p.proargnames, p.proargmodes) with ordinality as a(name, mode, at)
      where a.mode in ('i', 'b', 'v')) end`

/**
 * One query for everything that the ids of a tree lead to: rows of (kind, JSON). `to_jsonb` of a catalog row has whatever
 * columns the version of the server has. Every name is qualified, since nothing is known of the search path of the login.
 * Planning it takes three times as long as running it, so a session keeps its plan.
 */
export const CATALOG_QUERY = `
with given as (select unnest(${given('objects')}) as id),
  class as (
    with recursive tree as (
      select c.oid from pg_catalog.pg_class c where c.oid in (select id from given)
      union select i.inhrelid from pg_catalog.pg_inherits i join tree on i.inhparent = tree.oid
    ) select c.oid, c.relkind, c.relname, c.relnamespace, c.relrowsecurity, c.relam from pg_catalog.pg_class c join tree using (oid)
  ),
  own_type as (select t.* from pg_catalog.pg_type t where t.oid in (select id from given)),
  reached as (
    with recursive type as (
      select unnest(${given('types')}) as id union select id from given
      union select inner_type.id from type join pg_catalog.pg_type t on t.oid = type.id cross join lateral (
        select t.typbasetype as id union all select t.typelem
        union all select a.atttypid from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and t.typrelid <> 0 and a.attnum > 0
        union all select r.rngsubtype from pg_catalog.pg_range r
          where r.rngtypid = t.oid or (pg_catalog.to_jsonb(r) ->> 'rngmultitypid') = t.oid::pg_catalog.text
      ) as inner_type where inner_type.id <> 0
    ) select id from type
  ),
  opclass as (
    select o.oid, o.opcfamily from pg_catalog.pg_opclass o where o.oid >= 16384 and (
      (o.opcintype in (select id from reached) and (o.opcdefault or o.opcfamily in (select id from given) or ${IS_NAMED_BY_OPERATOR}))
      or o.oid in (
        select unnest(i.indclass::pg_catalog.oid[]) from pg_catalog.pg_index i where i.indrelid in (select oid from class)
        union select unnest(p.partclass::pg_catalog.oid[]) from pg_catalog.pg_partitioned_table p where p.partrelid in (select oid from class)
        union select r.rngsubopc from pg_catalog.pg_range r where r.rngtypid in (select id from given)))
  ),
  named_operator as (
    select o.oid, o.oprcom, o.oprnegate, o.oprcode from pg_catalog.pg_operator o where o.oid in (select id from given)
  ),
  family as (
    select opcfamily as id from opclass
    union select a.amopfamily from pg_catalog.pg_amop a where a.amopopr in (select oid from named_operator)
  ),
  operator as (
    select o.oprcode::pg_catalog.oid as id from pg_catalog.pg_operator o where o.oid >= 16384 and (
      o.oid in (select id from given)
      or o.oid in (select unnest(array[oprcom, oprnegate]) from named_operator)
      or o.oid in (select a.amopopr from pg_catalog.pg_amop a where a.amopfamily in (select id from family)))
  ),
  aggregate as (
    select a.* from pg_catalog.pg_aggregate a where a.aggfnoid::pg_catalog.oid in (select id from given union select unnest(${given('functions')}))
  ),
  indirect as (
    select id from operator
    union select a.amproc::pg_catalog.oid from pg_catalog.pg_amproc a where a.amprocfamily in (select id from family)
      and (a.amprocfamily >= 16384 or a.amproc::pg_catalog.oid >= 16384)
    union select a.amproc::pg_catalog.oid from pg_catalog.pg_amproc a where a.amprocfamily < 16384 and ${isOwn('a.amproc::pg_catalog.oid')}
      and (a.amproclefttype in (select id from reached) or exists (select from reached r join pg_catalog.pg_type t on t.oid = r.id
        where a.amproclefttype = ${CLASS_TYPE}))
    union select c.castfunc from pg_catalog.pg_cast c join own_type t on c.castsource = t.oid where c.casttarget in (114, 3802)
    union select io from own_type t
      cross join lateral unnest(array[t.typinput, t.typoutput, t.typreceive, t.typsend]::pg_catalog.oid[]) as io
      where t.typtype = 'b' and io not in (${ARRAY_INPUT.join(', ')})
    union select unnest(array[r.rngcanonical, r.rngsubdiff]::pg_catalog.oid[]) from pg_catalog.pg_range r where r.rngtypid in (select id from given)
  ),
  part as (
    select a.aggfnoid::pg_catalog.oid as of, unnest(array[${PARTS.join(', ')}]::pg_catalog.oid[]) as id from aggregate a
      where a.aggfnoid::pg_catalog.oid >= 16384 or ${PARTS.map((part) => `a.${part}::pg_catalog.oid >= 16384`).join(' or ')}
  ),
  called as (
    select unnest(${given('functions')}) as id union select id from given union select id from indirect union select id from part
  )
select 'function' as kind, pg_catalog.jsonb_build_object('id', p.oid::pg_catalog.int8, 'schema', n.nspname, 'name', p.proname,
    'volatility', p.provolatile, 'language', l.lanname, 'isAggregate', p.prokind = 'a',
    'extension', (select e.extname from pg_catalog.pg_depend d join pg_catalog.pg_extension e on e.oid = d.refobjid
      where d.classid = 1255 and d.objid = p.oid and d.refclassid = 3079 and d.deptype = 'e' limit 1),
    'source', p.prosrc,
    'body', case when p.oid >= 16384 or l.lanname = 'sql' then pg_catalog.to_jsonb(p) ->> 'prosqlbody' end,
    'settings', p.proconfig, 'definer', case when p.prosecdef then pg_catalog.pg_get_userbyid(p.proowner) end,
    'isIndirect', p.oid in (select id from indirect),
    'partOf', (select coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', a.oid::pg_catalog.int8, 'kind', g.aggkind,
        'stateTypes', pg_catalog.array_remove(array[g.aggtranstype, g.aggmtranstype]::pg_catalog.int8[], 0),
        'argumentTypes', a.proargtypes::pg_catalog.int8[])), '[]') from part join pg_catalog.pg_proc a on a.oid = part.of
        join aggregate g on g.aggfnoid::pg_catalog.oid = a.oid
      where part.id = p.oid),
    'defaults', p.proargdefaults::pg_catalog.text,
    'argumentTypes', p.proargtypes::pg_catalog.int8[], 'argumentNames', ${INPUT_NAMES}) as value
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
  where p.oid in (select id from called)
union all select 'textCast', pg_catalog.to_jsonb(c.castfunc::pg_catalog.int8) from pg_catalog.pg_cast c
  where c.casttarget = 25 and c.castfunc >= 16384 and c.castsource in (select id from reached)
union all select 'stranger', pg_catalog.to_jsonb(n.nspname || '.' || c.relname) from class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.relkind not in ('r', 'p', 'i', 'I', 'v', 'm', 'S', 't', 'c')
union all select 'library', pg_catalog.to_jsonb(c.relname) from class c where c.relam >= 16384 or exists (
    select from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid
      where i.indrelid = c.oid and x.relam >= 16384)
union all select 'object', pg_catalog.to_jsonb(oid::pg_catalog.int8) from class where oid not in (select id from given)
union all select 'object', pg_catalog.to_jsonb(a.atttypid::pg_catalog.int8) from pg_catalog.pg_attribute a
  where a.atttypid >= 16384 and a.attrelid in (select oid from class union select typrelid from own_type)
union all select 'object', pg_catalog.to_jsonb(id::pg_catalog.int8) from own_type t
  cross join lateral unnest(array[t.typbasetype, t.typelem, t.typrelid]) as id where id >= 16384
union all select 'object', pg_catalog.to_jsonb(id::pg_catalog.int8) from pg_catalog.pg_range r
  cross join lateral unnest(array[r.rngsubtype, r.rngtypid]) as id where id >= 16384
    and (r.rngtypid in (select id from given) or pg_catalog.to_jsonb(r) ->> 'rngmultitypid' in (select id::pg_catalog.text from given))
union all select 'object', pg_catalog.to_jsonb(aggsortop::pg_catalog.int8) from aggregate where aggsortop >= 16384
union all select 'object', pg_catalog.to_jsonb(aggtranstype::pg_catalog.int8) from aggregate where aggtranstype >= 16384
union all select 'tree', pg_catalog.to_jsonb(c.conbin::pg_catalog.text) from pg_catalog.pg_constraint c
  where c.contypid in (select id from reached) and c.oid >= 16384 and c.conbin is not null
union all select 'tree', pg_catalog.to_jsonb(r.ev_action::pg_catalog.text) from pg_catalog.pg_rewrite r
  where r.ev_class in (select oid from class where relkind = 'v')
union all select 'tree', pg_catalog.to_jsonb(p.polqual::pg_catalog.text) from pg_catalog.pg_policy p
  where p.polrelid in (select oid from class where relrowsecurity) and p.polqual is not null
union all select 'tree', pg_catalog.to_jsonb(d.adbin::pg_catalog.text) from pg_catalog.pg_attrdef d
  join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
  where d.adrelid in (select oid from class) and a.attgenerated = 'v'
union all select 'generated', pg_catalog.to_jsonb(c.relname::pg_catalog.text) from class c where exists (
    select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v')
union all select 'ambient', pg_catalog.to_jsonb(c.conbin::pg_catalog.text) from pg_catalog.pg_constraint c
  where c.conrelid in (select oid from class) and c.conbin is not null
union all select t.kind, pg_catalog.to_jsonb(t.tree) from pg_catalog.pg_index i
  cross join lateral (values ('ambient', i.indexprs::pg_catalog.text), ('predicate', i.indpred::pg_catalog.text)) as t(kind, tree)
  where i.indrelid in (select oid from class) and t.tree is not null
union all select 'ambient', pg_catalog.to_jsonb(p.partexprs::pg_catalog.text) from pg_catalog.pg_partitioned_table p
  where p.partrelid in (select oid from class) and p.partexprs is not null
union all select 'ambient', pg_catalog.to_jsonb(s) ->'stxexprs' from pg_catalog.pg_statistic_ext s
  where s.stxrelid in (select oid from class) and pg_catalog.to_jsonb(s) ->> 'stxexprs' is not null${HIDDEN_CODE}`

/** The rows of CATALOG_QUERY by kind. */
export function catalogAnswer(rows: ReadonlyArray<readonly (string | null)[]>): CatalogAnswer {
  const of = (kind: string): readonly unknown[] =>
    rows.filter(([name]) => name === kind).map(([, value]): unknown => JSON.parse(value ?? 'null'))
  const functions = of('function') as readonly CatalogFunction[] // as: the query above builds them with these names.
  return {
    functions,
    strangers: of('stranger').map(String),
    hidden: of('hidden').map(String),
    libraries: of('library').map(String),
    textCasts: of('textCast').map(Number),
    trees: of('tree').map(String),
    ambient: of('ambient').map(String),
    predicates: of('predicate').map(String),
    generated: of('generated').map(String),
    objects: of('object').map(Number),
    calls: functions.map(({ id }) => id),
  }
}
