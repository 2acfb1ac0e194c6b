import { isOfExtension } from './early-code.ts'
import { TEXT_SEARCH } from './functions.ts'
import { FIRST_USER_ID } from './tree.ts'

/** Whether a function is somebody's own, and of no extension. */
export const isOwn = (id: string): string => `${id} >= ${FIRST_USER_ID} and not ${isOfExtension(id)}`

const isAnyOwn = (ids: readonly string[]): string => ids.map((id) => `(${isOwn(id)})`).join(' or ')

/** Functions of the system that run what no tree names, and whether somebody has made such a thing. */
interface Row {
  readonly source: string
  readonly names: string
  readonly exists: string
}

const DOCS = 'https://www.postgresql.org/docs/18'

const ROWS: readonly Row[] = [
  {
    source: `${DOCS}/textsearch-dictionaries.html (a configuration leads to the functions of a parser and of templates)`,
    names: TEXT_SEARCH,
    exists: `exists (select from pg_catalog.pg_ts_template x where ${isAnyOwn(['x.tmplinit::pg_catalog.oid', 'x.tmpllexize::pg_catalog.oid'])})
      or exists (select from pg_catalog.pg_ts_parser x where ${isAnyOwn(['x.prsstart::pg_catalog.oid', 'x.prstoken::pg_catalog.oid', 'x.prsend::pg_catalog.oid', 'x.prslextype::pg_catalog.oid', 'x.prsheadline::pg_catalog.oid'])})`,
  },
  {
    source: `${DOCS}/sql-createconversion.html`,
    names: 'convert convert_from convert_to',
    exists: `exists (select from pg_catalog.pg_conversion x where ${isOwn('x.conproc::pg_catalog.oid')})`,
  },
  {
    source: `${DOCS}/functions-info.html#FUNCTIONS-INFO-CATALOG (asks the handler of an access method)`,
    names: 'pg_indexam_has_property pg_index_has_property pg_index_column_has_property',
    exists: `exists (select from pg_catalog.pg_am x where ${isOwn('x.amhandler::pg_catalog.oid')})`,
  },
  {
    source: `${DOCS}/ddl-partitioning.html (compare bounds, and hash, by the operator class of the partitions)`,
    names: 'pg_get_partition_constraintdef satisfies_hash_partition',
    exists: `exists (select from pg_catalog.pg_partitioned_table x where exists (
      select from unnest(x.partclass::pg_catalog.oid[]) as c(id) where c.id >= ${FIRST_USER_ID}))`,
  },
]

const quotedNames = (names: string): string => `'{${names.replaceAll(' ', ',')}}'::pg_catalog.name[]`

/**
 * A part of the query for the catalogs: names of what a tree calls by way of the planner (support functions, estimators of
 * operators) or of a function of the system, and which nothing in a tree names. `called` and `given` are tables of ids.
 */
export const HIDDEN_CODE = `
union all select 'hidden', pg_catalog.to_jsonb(p.proname::pg_catalog.text) from pg_catalog.pg_proc p
  where p.oid in (select id from called) and (${isOwn('p.prosupport::pg_catalog.oid')} ${ROWS.map(
    ({ names, exists }) =>
      `or (p.oid < ${FIRST_USER_ID} and p.proname = any(${quotedNames(names)}) and (${exists}))`,
  ).join(' ')})
union all select 'hidden', pg_catalog.to_jsonb(o.oprname::pg_catalog.text) from pg_catalog.pg_operator o
  where (${isAnyOwn(['o.oprrest::pg_catalog.oid', 'o.oprjoin::pg_catalog.oid'])})
    and (o.oid in (select id from given) or (o.oid < ${FIRST_USER_ID} and o.oprcode::pg_catalog.oid in (select id from called)))`
