/**
 * Whether code of somebody's own can run while the server parses, before anything of a statement is known: checks of
 * domains and input functions of types, for a text literal; and functions that nothing guards, for any statement that
 * names them. Qualified throughout: the search path of the login is not known yet.
 */
const isCreated = (id: string): string => `${id} operator(pg_catalog.>=) 16384::pg_catalog.oid`
/** An expression that is true for a function of an extension. */
export const isOfExtension = (id: string): string =>
  `exists (select from pg_catalog.pg_depend d where d.classid operator(pg_catalog.=) 1255::pg_catalog.oid
    and d.objid operator(pg_catalog.=) ${id} and d.deptype operator(pg_catalog.=) 'e')`

const TYPE_INPUTS = `select from pg_catalog.pg_type t join pg_catalog.pg_proc p
  on p.oid operator(pg_catalog.=) t.typinput::pg_catalog.oid where ${isCreated('p.oid')}
  and not ${isOfExtension('p.oid')}`

// A domain of the information schema may be given a check, too.
const DOMAINS = `exists (select from pg_catalog.pg_constraint c where ${isCreated('c.oid')}
  and c.contypid operator(pg_catalog.<>) 0::pg_catalog.oid)`

/** Whether what the server calls for a modifier or a subscript of a type, whatever stands there, is such a function. */
const isParsedBy = (version: number, isOne: (id: string) => string): string =>
  ['typmodin', 'typmodout', ...(version >= 140_000 ? ['typsubscript'] : [])]
    .map((column) => `(${isOne(`t.${column}::pg_catalog.oid`)})`)
    .join(' or ')

/**
 * Three expressions that are false in most databases, and then answer the two below: whether somebody has made a check of a domain,
 * a function that reads a type, a sampling method. A backend is new for each read and has none of its catalogs at hand, so what
 * follows costs ten times as much.
 */
export const anyOwnCode = (version: number): string => `${DOMAINS},
  exists (select from pg_catalog.pg_type t where ${isCreated('t.typinput::pg_catalog.oid')} or ${isParsedBy(version, isCreated)}),
  exists (select from pg_catalog.pg_proc p where ${isCreated('p.oid')} and p.prorettype operator(pg_catalog.=) 3310::pg_catalog.oid)`

/** An expression that is true where text literals may run code, so that names are judged without them first. */
export const LITERALS_RUN_CODE = `(${DOMAINS}
  or exists (${TYPE_INPUTS}))`

/**
 * An expression that is true where a type calls its input function for NULL, or one for its modifiers or subscripts that is of no
 * extension, or where a sampling method is nobody's.
 */
export const nullsRunCode = (version: number): string => `(exists (${TYPE_INPUTS} and not p.proisstrict)
  or exists (select from pg_catalog.pg_type t where ${isParsedBy(version, (id) => `${isCreated(id)} and not ${isOfExtension(id)}`)})
  or exists (select from pg_catalog.pg_proc p where ${isCreated('p.oid')}
    and p.prorettype operator(pg_catalog.=) 3310::pg_catalog.oid and not ${isOfExtension('p.oid')}))`
