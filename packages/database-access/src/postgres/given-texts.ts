import type { CatalogFunction } from './catalog.ts'
import { argumentsBehind, inOneLine, mentionsOf } from './calls.ts'
import { FIRST_USER_ID } from './tree.ts'

const DOCS = 'https://www.postgresql.org/docs/18'

/** What a text is that a function is given: a statement that it runs, a type whose input it calls, a table that it reads. */
export type GivenKind = 'query' | 'type' | 'table'

interface Row {
  readonly source: string
  readonly names: string
  readonly kind: GivenKind
  /** Places among the arguments. */
  readonly places: readonly number[]
}

/** Functions of the system that do nothing but what a text says. Each row names its page. */
const SYSTEM: readonly Row[] = [
  {
    source: `${DOCS}/functions-xml.html#FUNCTIONS-XML-MAPPING`,
    names: 'query_to_xml query_to_xmlschema query_to_xml_and_xmlschema',
    kind: 'query',
    places: [0],
  },
  {
    source: `${DOCS}/functions-xml.html#FUNCTIONS-XML-MAPPING`,
    names: 'table_to_xml table_to_xmlschema table_to_xml_and_xmlschema',
    kind: 'table',
    places: [0],
  },
  {
    source: `${DOCS}/textsearch-features.html#TEXTSEARCH-STATISTICS`,
    names: 'ts_stat',
    kind: 'query',
    places: [0],
  },
  {
    source: `${DOCS}/textsearch-features.html#TEXTSEARCH-QUERY-REWRITING`,
    names: 'ts_rewrite',
    kind: 'query',
    places: [1],
  },
  {
    source: `${DOCS}/functions-info.html#FUNCTIONS-INFO-VALIDITY`,
    names: 'pg_input_is_valid pg_input_error_info',
    kind: 'type',
    places: [1],
  },
]

/** The same of the extension tablefunc (tablefunc.html): the second argument of `crosstab` may be a query as well. */
const TABLEFUNC: readonly Row[] = [
  {
    source: `${DOCS}/tablefunc.html`,
    names: 'crosstab crosstab2 crosstab3 crosstab4',
    kind: 'query',
    places: [0, 1],
  },
]

const bySystemName = byName(SYSTEM)
const byTablefuncName = byName(TABLEFUNC)

/** What texts a function is given, or undefined when it is none of these. */
export const givenTo = ({ id, name, volatility, extension, language }: CatalogFunction): Row | undefined =>
  id < FIRST_USER_ID
    ? // The form of `ts_rewrite` that takes no query is immutable.
      name === 'ts_rewrite' && volatility !== 'v'
      ? undefined
      : bySystemName.get(name)
    : extension === 'tablefunc' && language === 'c'
      ? byTablefuncName.get(name)
      : undefined

function byName(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.flatMap((row) => row.names.split(' ').map((name) => [name, row] as const)))
}

const TEXT = '25'
const REGCLASS = '2205'
const INTEGERS = new Set(['20', '21', '23'])

/**
 * The constants that every call of a function is given in these places: texts, or ids of tables. Undefined unless each
 * mention of the function in the trees is a call with constants there. One that is NULL is left out: nothing runs for it.
 */
export function constantsGiven(
  trees: readonly string[],
  id: number,
  { kind, places }: Row,
): readonly string[] | undefined {
  const all = inOneLine(trees)
  if (all === undefined) return undefined
  const mentions = mentionsOf(all, id)
  const found: string[] = []
  for (const mention of mentions) {
    if (!mention.startsWith(':funcid ')) return undefined
    const given = argumentsBehind(mention)
    for (const place of places) {
      const argument = given?.[place]
      // A query of `crosstab` that has one argument.
      if (given && argument === undefined && place > 0 && kind === 'query') continue
      const constant = argument === undefined ? undefined : constantOf(argument, kind)
      if (constant === undefined) return undefined
      if (constant !== null) found.push(constant)
    }
  }
  return mentions.length === 0 ? undefined : found
}

const CONSTANT =
  /^\{CONST :consttype (\d+) :consttypmod -1 :constcollid \d+ :constlen -?\d+ :constbyval \w+ :constisnull (true|false) :location -?\d+ :constvalue (?:<>|(\d+) \[ ((?:-?\d+ )+)\])\}$/

function constantOf(printed: string, kind: GivenKind): string | null | undefined {
  const [, type = '', isNull, length, bytes = ''] = CONSTANT.exec(printed) ?? []
  // The form of `crosstab` with a number of columns.
  if (kind === 'query' && INTEGERS.has(type)) return null
  if (type !== (kind === 'table' ? REGCLASS : TEXT)) return undefined
  if (isNull === 'true') return null
  const value = Buffer.from(bytes.trim().split(' ').map(Number))
  return kind === 'table' ? String(value.readUInt32LE(0)) : varlena(value, Number(length))
}

/** The text in a value with a header of four bytes, which has its length in the byte order of the server (varatt.h). */
function varlena(value: Buffer, length: number): string | undefined {
  if (value.length !== length || length < 4) return undefined
  const isLittle = (value[0] ?? 0) % 4 === 0 && value.readUInt32LE(0) >>> 2 === length
  if (!isLittle && value.readUInt32BE(0) !== length) return undefined
  const text = value.subarray(4).toString()
  return Buffer.from(text).equals(value.subarray(4)) ? text : undefined
}
