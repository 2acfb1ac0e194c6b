import { writeRequired } from '#/statement.ts'
import {
  isHarmlessCall,
  isOneExpression,
  judgeExpression,
  judgeParameters,
  judgeStatement,
  type Named,
} from './judge.ts'
import type { NamedObject } from './relations.ts'
import type { QuotingMode } from './tokens.ts'

/** Runs a query of ours and resolves with its rows as texts. */
export type Ask = (sql: string) => Promise<readonly Row[]>

type Row = readonly (string | null)[]

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
export async function requireReads(server: Server, named: Named): Promise<void> {
  const { database, isMariadb } = server
  const mayHoldQuery = isMariadb || named.isUntimed !== true
  const seen = new Set<string>()
  if (!mayHoldQuery) requireNoQuery([named])
  let next = located(named, named.schema ?? database, seen)
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (next.relations.length === 0 && next.functions.length === 0) return
    const found = [
      ...(await relationsOf(server, next.relations)),
      ...(await functionsOf(server, next.functions)),
    ]
    if (!mayHoldQuery) requireNoQuery(found.map((each) => each.named))
    const merged = {
      relations: found.flatMap(({ named: { relations }, schema, isOfOther }) =>
        inSchema(relations, schema).map((one) => ({ ...one, isOfOther })),
      ),
      functions: found.flatMap(({ named: { functions }, schema, isOfOther }) =>
        inSchema(functions, schema).map((one) => ({ ...one, isOfOther })),
      ),
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
  /** Run with the rights of somebody else, for whom more relations may exist than the login sees. */
  readonly isOfOther: boolean
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
  /** A relation for sure, in what runs with the rights of somebody else. */
  readonly mayHide: boolean
  readonly isOfOther: boolean
}

/** A name, and whether what contains it runs with the rights of somebody else. */
interface FoundObject extends NamedObject {
  readonly isOfOther?: boolean
}

const inSchema = (objects: readonly NamedObject[], schema: string): readonly NamedObject[] =>
  objects.map((one) => ({ ...one, schema: one.schema ?? `\0${schema}` }))

interface FoundObjects {
  readonly relations: readonly FoundObject[]
  readonly functions: readonly FoundObject[]
}

function located({ relations, functions }: FoundObjects, database: string, seen: Set<string>): Located {
  const places = (kind: string, objects: readonly FoundObject[]): readonly Place[] =>
    objects
      .map(({ schema, name, isSure = false, isOfOther = false }) => ({
        schema: schema === undefined ? database : schema.replace(/^\0/, ''),
        name,
        isBare: schema === undefined || schema.startsWith('\0'),
        mayHide: isSure && isOfOther,
        isOfOther,
      }))
      .filter(({ schema, name, isBare, mayHide, isOfOther }) => {
        const key = [kind, schema, name, isBare, mayHide, isOfOther].join('\0')
        return !seen.has(key) && seen.add(key)
      })
  return { relations: places('relation', relations), functions: places('function', functions) }
}

/** Hexadecimal: no quoting mode reads it in another way. */
const literal = (text: string): string =>
  text === '' ? "''" : `convert(x'${Buffer.from(text).toString('hex')}' using utf8mb4)`

/** Whether a view or function runs with the rights of an account that is not the login's. */
const RUNS_AS_OTHER = "if(security_type = 'DEFINER' and definer <> current_user(), 'other', '')"

async function relationsOf({ ask, isMariadb }: Server, places: readonly Place[]): Promise<readonly Found[]> {
  const acting = places.find(({ schema, name }) => isSystem(schema) && ACTING.test(name))
  if (acting) throw writeRequired(`the relation ${acting.schema}.${acting.name}`)
  const ordinary = places.filter(({ schema }) => !isSystem(schema))
  if (ordinary.length === 0) return []
  const parts = ordinary.map(({ schema, name }) => {
    const at = `table_schema = ${literal(schema)} and table_name = ${literal(name)}`
    const ofView = (what: string): string => `(select ${what} from information_schema.views where ${at})`
    return `select table_schema, table_name, table_type, engine, ${ofView('view_definition')} as body,
      if(table_type = 'VIEW', ${ofView(RUNS_AS_OTHER)}, '') as runs from information_schema.tables where ${at}`
  })
  const rows = await ask(parts.join(' union all '))
  const hidden = ordinary.find(
    (place) => place.mayHide && !isSequence(place, isMariadb) && !rows.some((row) => isAt(row, place)),
  )
  if (hidden)
    throw writeRequired(
      `the relation ${hidden.schema}.${hidden.name}, which this login may not see, behind one of another account`,
    )
  return rows.flatMap((row) =>
    relation(
      row,
      places.some((place) => place.isOfOther && isAt(row, place)),
    ),
  )
}

const isAt = ([schema, name]: Row, place: Place): boolean =>
  isSame(schema, place.schema) && isSame(name, place.name)

/** `seq_1_to_9` of MariaDB, which no catalog lists. */
const isSequence = ({ name }: Place, isMariadb: boolean): boolean =>
  isMariadb && /^seq_\d+_to_\d+(_step_\d+)?$/i.test(name)

function relation(
  [schema, name, type = '', engine, body, runs]: Row,
  isWithinOther: boolean,
): readonly Found[] {
  const full = `${schema}.${name}`
  const isView = /view/i.test(type ?? '')
  if (!isView) {
    if (engine && !ENGINES.has(engine.toLowerCase())) throw writeRequired(`the relation ${full}`)
    return []
  }
  if (/^system view$/i.test(type ?? '')) return []
  if (!body)
    throw writeRequired(`the view ${full}, whose definition this login may not see without SHOW VIEW`)
  const named = { ...judgeStatement(body, CANONICAL), holdsQuery: true }
  return [{ named, schema: schema ?? '', isOfOther: isWithinOther || runs === 'other' }]
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

async function functionsOf({ ask, isMariadb }: Server, places: readonly Place[]): Promise<readonly Found[]> {
  if (places.length === 0) return []
  if (isMariadb) await requireNoPackage(ask, places)
  const conditions = places.map(
    ({ schema, name }) => `(routine_schema = ${literal(schema)} and routine_name = ${literal(name)})`,
  )
  const rows = await ask(
    `select routine_schema, routine_name, routine_definition, sql_mode, definer, routine_body, ${RUNS_AS_OTHER}
      from information_schema.routines
      where routine_type = 'FUNCTION' and (${conditions.join(' or ')})`,
  )
  const alike = rows.find((row) => !places.some((place) => isAt(row, place)))
  // The servers take names for the same that differ in their accents.
  if (alike)
    throw writeRequired(
      `the function ${alike[0]}.${alike[1]}, whose name is taken for the one of the statement`,
    )
  const loadable = await loadableNames(ask, places)
  const found = places.flatMap((place) => {
    if (loadable.has(place.name.toLowerCase())) throw writeRequired(`the loadable function ${place.name}`)
    // Schemas may differ in their case alone.
    const own = rows.filter((row) => isAt(row, place))
    if (own.length > 0) return own.flatMap((row) => storedFunction(place, row))
    if (!place.isBare)
      throw writeRequired(`the function ${place.schema}.${place.name}, which this login does not see`)
    if (!isHarmlessCall(place.name)) throw writeRequired(`the function ${place.name}`)
    return []
  })
  if (!isMariadb) return found
  const defaults: Found[] = []
  for (const row of rows) defaults.push(...(await defaultsOf(ask, row)))
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
async function defaultsOf(ask: Ask, row: Row): Promise<readonly Found[]> {
  const [schema, name, runs] = [row[0] ?? '', row[1] ?? '', row[6]]
  const [[, mode, text] = []] = await ask(`show create function ${quoted(schema)}.${quoted(name)}`)
  if (typeof text !== 'string') throw writeRequired(`the function ${schema}.${name}, ${UNSEEN}`)
  return [{ named: judgeParameters(text, quotingOf(mode ?? '')), schema, isOfOther: runs === 'other' }]
}

const UNSEEN = 'whose body this login may not see'

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
function storedFunction(place: Place, row: Row): readonly Found[] {
  const [schema, , definition, mode = '', definer, body, runs] = row
  // A body in JavaScript may begin with the same word.
  if (body !== 'SQL')
    throw writeRequired(`the function ${place.schema}.${place.name}, whose body is not in SQL`)
  if (place.schema === 'sys' && SYS_DEFINERS.has(definer ?? '') && SYS_READS.test(place.name)) return []
  const quoting = quotingOf(mode ?? '')
  const expression = returnedBy(definition ?? '', quoting)
  if (expression === undefined)
    throw writeRequired(
      `the function ${place.schema}.${place.name}, ${definition ? 'whose body is more than one RETURN' : UNSEEN}`,
    )
  const isOfOther = place.isOfOther || runs === 'other'
  return [{ named: judgeExpression(expression, quoting), schema: schema ?? '', isOfOther }]
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
