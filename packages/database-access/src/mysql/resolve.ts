import { writeRequired } from '#/statement.ts'
import {
  isHarmlessCall,
  isOneExpression,
  judgeExpression,
  judgeParameters,
  judgeStatement,
  type Named,
  type NamedObject,
} from './judge.ts'
import type { QuotingMode } from './tokens.ts'

/** Runs a query of ours and resolves with its rows as texts. */
export type Ask = (sql: string) => Promise<ReadonlyArray<readonly (string | null)[]>>

const MAX_ROUNDS = 12

/** Where names are looked up. */
export interface Server {
  readonly ask: Ask
  readonly database: string
  /** MariaDB ends every statement at its time, MySQL queries alone; its functions may be in packages and have defaults. */
  readonly isMariadb: boolean
}

/**
 * Follows the names of a statement through views and stored functions. Throws `database.write_required` for the first that
 * is not known to be a read (decision 0149), and for a query that could run for ever (decision 0262).
 */
export async function requireReads({ ask, database, isMariadb }: Server, named: Named): Promise<void> {
  const mayHoldQuery = isMariadb || named.isUntimed !== true
  const seen = new Set<string>()
  if (!mayHoldQuery) requireNoQuery([named])
  let next = located(named, named.schema ?? database, seen)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (next.relations.length === 0 && next.functions.length === 0) return
    const found = [
      ...(await relationsOf(ask, next.relations)),
      ...(await functionsOf(ask, next.functions, isMariadb)),
    ]
    if (!mayHoldQuery) requireNoQuery(found.map((each) => each.named))
    const merged = {
      relations: found.flatMap(({ named: { relations }, schema }) => inSchema(relations, schema)),
      functions: found.flatMap(({ named: { functions }, schema }) => inSchema(functions, schema)),
    }
    next = located(merged, database, seen)
  }
  throw writeRequired('names that lead too far')
}

function requireNoQuery(found: readonly Named[]): void {
  if (found.some(({ holdsQuery }) => holdsQuery === true))
    throw writeRequired('a query within a statement whose time MySQL does not limit')
}

interface Found {
  readonly named: Named
  /** Where names without a schema are then looked for. */
  readonly schema: string
}

interface Located {
  readonly relations: readonly Place[]
  readonly functions: readonly Place[]
}

interface Place {
  readonly schema: string
  readonly name: string
  /** Written without a schema, so a function of the server comes first. */
  readonly isBare: boolean
}

const inSchema = (objects: readonly NamedObject[], schema: string): readonly NamedObject[] =>
  objects.map(({ schema: own, name }) => ({ schema: own ?? `\0${schema}`, name }))

function located({ relations, functions }: Named, database: string, seen: Set<string>): Located {
  const places = (kind: string, objects: readonly NamedObject[]): readonly Place[] =>
    objects
      .map(({ schema, name }) => ({
        schema: schema === undefined ? database : schema.replace(/^\0/, ''),
        name,
        isBare: schema === undefined || schema.startsWith('\0'),
      }))
      .filter(({ schema, name, isBare }) => {
        const key = `${kind}\0${schema}\0${name}\0${isBare}`.toLowerCase()
        return !seen.has(key) && seen.add(key)
      })
  return { relations: places('relation', relations), functions: places('function', functions) }
}

/** Hexadecimal: no quoting mode reads it in another way. */
const literal = (text: string): string =>
  text === '' ? "''" : `convert(x'${Buffer.from(text).toString('hex')}' using utf8mb4)`

async function relationsOf(ask: Ask, places: readonly Place[]): Promise<readonly Found[]> {
  const acting = places.find(({ schema, name }) => isSystem(schema) && ACTING.test(name))
  if (acting) throw writeRequired(`the relation ${acting.schema}.${acting.name}`)
  const ordinary = places.filter(({ schema }) => !isSystem(schema))
  if (ordinary.length === 0) return []
  const parts = ordinary.map(({ schema, name }) => {
    const at = `t.table_schema = ${literal(schema)} and t.table_name = ${literal(name)}`
    return `select t.table_schema, t.table_name, t.table_type, t.engine,
      (select v.view_definition from information_schema.views v where v.table_schema = ${literal(schema)} and v.table_name = ${literal(name)}) as body
      from information_schema.tables t where ${at}`
  })
  const rows = await ask(parts.join(' union all '))
  return rows.flatMap(([schema, name, type, engine, body]) =>
    relation(`${schema}.${name}`, schema, type, engine, body),
  )
}

function relation(
  full: string,
  schema: string | null | undefined,
  type: string | null | undefined,
  engine: string | null | undefined,
  body: string | null | undefined,
): readonly Found[] {
  const isView = /view/i.test(type ?? '')
  if (!isView) {
    if (engine && !ENGINES.has(engine.toLowerCase())) throw writeRequired(`the relation ${full}`)
    return []
  }
  if (/^system view$/i.test(type ?? '')) return []
  if (!body) throw writeRequired(`the view ${full}`)
  return [{ named: { ...judgeStatement(body, CANONICAL), holdsQuery: true }, schema: schema ?? '' }]
}

const SYSTEM = new Set(['information_schema', 'performance_schema'])
const isSystem = (schema: string): boolean => SYSTEM.has(schema.toLowerCase())

/**
 * Tables of the server that do something when they are read: those of InnoDB that count compression begin anew
 * (information-schema-innodb-cmp-table.html), and `log_status` holds up the logs (performance-schema-log-status-table.html).
 */
const ACTING = /^(innodb_\w+_reset|log_status)$/i

/** Storage engines whose tables are read without reaching another server or program. */
const ENGINES = new Set(
  'innodb myisam aria memory csv archive mrg_myisam performance_schema blackhole ndbcluster rocksdb columnstore sequence'.split(
    ' ',
  ),
)

/** How the servers print the definitions that they store. */
const CANONICAL: QuotingMode = { ansiQuotes: false, noBackslashEscapes: false }

async function functionsOf(
  ask: Ask,
  places: readonly Place[],
  isMariadb: boolean,
): Promise<readonly Found[]> {
  if (places.length === 0) return []
  if (isMariadb) await requireNoPackage(ask, places)
  const conditions = places.map(
    ({ schema, name }) => `(routine_schema = ${literal(schema)} and routine_name = ${literal(name)})`,
  )
  const rows = await ask(
    `select routine_schema, routine_name, routine_definition, sql_mode, definer, routine_body from information_schema.routines
      where routine_type = 'FUNCTION' and (${conditions.join(' or ')})`,
  )
  const alike = rows.find(
    ([schema, name]) => !places.some((place) => isSame(schema, place.schema) && isSame(name, place.name)),
  )
  // The servers take names for the same that differ in their accents.
  if (alike)
    throw writeRequired(
      `the function ${alike[0]}.${alike[1]}, whose name is taken for the one of the statement`,
    )
  const loadable = await loadableNames(ask, places)
  const found = places.flatMap((place) => {
    if (loadable.has(place.name.toLowerCase())) throw writeRequired(`the loadable function ${place.name}`)
    const row = rows.find(([schema, name]) => isSame(schema, place.schema) && isSame(name, place.name))
    if (row) return storedFunction(place, row)
    if (!place.isBare || !isHarmlessCall(place.name)) throw writeRequired(`the function ${place.name}`)
    return []
  })
  if (!isMariadb) return found
  const defaults: Found[] = []
  for (const [schema, name] of rows) defaults.push(...(await defaultsOf(ask, schema ?? '', name ?? '')))
  return [...found, ...defaults]
}

/** `p.f()` is a function of the package `p` before it is one of the schema `p`. */
async function requireNoPackage(ask: Ask, places: readonly Place[]): Promise<void> {
  const names = places.filter(({ isBare }) => !isBare).map(({ schema }) => literal(schema))
  if (names.length === 0) return
  const [row] = await ask(
    `select routine_name from information_schema.routines where routine_type = 'PACKAGE' and routine_name in (${names.join(', ')})`,
  )
  if (row) throw writeRequired(`a function of the package ${row[0]}`)
}

/** What a parameter is when the call does not give it runs with the function, and stands in its header alone. */
async function defaultsOf(ask: Ask, schema: string, name: string): Promise<readonly Found[]> {
  const [[, mode, text] = []] = await ask(`show create function ${quoted(schema)}.${quoted(name)}`)
  if (typeof text !== 'string') throw writeRequired(`the function ${schema}.${name}`)
  return [{ named: judgeParameters(text, quotingOf(mode ?? '')), schema }]
}

const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``

const isSame = (a: string | null | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase()

async function loadableNames(ask: Ask, places: readonly Place[]): Promise<ReadonlySet<string>> {
  const names = places.filter(({ isBare }) => isBare).map(({ name }) => literal(name))
  if (names.length === 0) return new Set()
  try {
    const rows = await ask(`select name from mysql.func where name in (${names.join(', ')})`)
    return new Set(rows.map(([name]) => (name ?? '').toLowerCase()))
  } catch {
    // A login that may not look there: its functions are still those of the table or stored ones.
    return new Set()
  }
}

/** A stored function is judged by its body, which has to be one expression. */
function storedFunction(place: Place, row: readonly (string | null)[]): readonly Found[] {
  const [schema, , definition, mode = '', definer, body] = row
  // A body in JavaScript may begin with the same word.
  if (body !== 'SQL') throw writeRequired(`the function ${place.schema}.${place.name}`)
  if (place.schema === 'sys' && SYS_DEFINERS.has(definer ?? '') && SYS_READS.test(place.name)) return []
  const quoting = quotingOf(mode ?? '')
  const expression = returnedBy(definition ?? '', quoting)
  if (expression === undefined) throw writeRequired(`the function ${place.schema}.${place.name}`)
  return [{ named: judgeExpression(expression, quoting), schema: schema ?? '' }]
}

/** What a body returns that is `RETURN …`, or nothing else between BEGIN and END. */
function returnedBy(definition: string, quoting: QuotingMode): string | undefined {
  const [, block] = /^\s*begin\s([^]*?);?\s*end\s*$/i.exec(definition) ?? []
  const [, expression] = /^\s*return\b([^]*)$/i.exec((block ?? definition).replace(/;\s*$/, '')) ?? []
  return expression !== undefined && isOneExpression(expression, quoting) ? expression : undefined
}

const SYS_DEFINERS = new Set(['mysql.sys@localhost', 'mariadb.sys@localhost'])
/** Formatting functions of the sys schema (sys-schema-functions.html): they read the configuration of the schema. */
const SYS_READS =
  /^(format_(bytes|path|statement|time|pico_time)|extract_(schema|table)_from_\w+|list_(add|drop)|quote_identifier|sys_get_config|version_(major|minor|patch)|ps_is_\w+|ps_thread_(account|id|trx_info))$/

/** Reads the names of an `sql_mode` that change what a quote is. */
export const quotingOf = (sqlMode: string): QuotingMode => ({
  ansiQuotes: /\b(ANSI_QUOTES|ANSI|ORACLE|MSSQL|DB2|POSTGRESQL|MAXDB)\b/.test(sqlMode),
  noBackslashEscapes: /\bNO_BACKSLASH_ESCAPES\b/.test(sqlMode),
})
