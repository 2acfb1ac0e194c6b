import { parseSync } from 'libpg-query'

/** What a body calls its arguments: by their names, or with the name of the function in front. */
interface Arguments {
  readonly functionName: string
  readonly names: readonly string[]
}

interface Place {
  readonly from: number
  /** Names in the text that the parameter takes the place of. */
  readonly count: number
  readonly parameter: number
}

/**
 * Replaces the names of arguments by `$n`, where a column could stand: `x`, `x.field`, `f.x` and `f.x.field`. A single name
 * to sort or group by stays, since it may be one of the result. Places of the parser are in bytes.
 */
export function argumentsAsParameters(sql: string, given: Arguments): string {
  const places: Place[] = []
  collect(parseSync(sql), given, places)
  let bytes = Buffer.from(sql)
  for (const { from, count, parameter } of places.toSorted((a, b) => b.from - a.from)) {
    const end = from + namesLength(bytes.subarray(from).toString(), count)
    bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(`$${parameter}`), bytes.subarray(end)])
  }
  return bytes.toString()
}

/**
 * Whether a tree has a relation or column of one of these names. The server prefers those to arguments, so the names in the
 * body may mean something else than their parameters.
 */
export function hidesArguments(trees: readonly string[], names: readonly string[]): boolean {
  const wanted = new Set(names.filter((name) => name !== ''))
  return trees.some((tree) =>
    [...tree.matchAll(ALIAS)].some(([, alias = '', columns = '']) =>
      [unescaped(alias), ...SYSTEM_COLUMNS, ...columnsOf(columns)].some((name) => wanted.has(name)),
    ),
  )
}

/** Names as the server prints them (outToken of outfuncs.c). */
const ALIAS = /\{ALIAS :aliasname ((?:\\.|[^\s\\])+) :colnames (?:\(((?:\\.|[^\\)])*)\)|<>)/g
const SYSTEM_COLUMNS = ['ctid', 'xmin', 'cmin', 'xmax', 'cmax', 'tableoid']

const columnsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, name = '']) => unescaped(name))

const unescaped = (token: string): string => token.replaceAll(/\\(.)/g, '$1')

const NAME = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`
const NAMES = [new RegExp(`^${NAME}`, 'u'), new RegExp(`^${NAME}\\s*\\.\\s*${NAME}`, 'u')] as const

const namesLength = (text: string, count: number): number =>
  Buffer.byteLength(NAMES[count - 1]?.exec(text)?.[0] ?? '')

function collect(node: unknown, given: Arguments, places: Place[]): void {
  if (Array.isArray(node)) for (const item of node) collect(item, given, places)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  for (const [tag, inner] of Object.entries(node)) {
    if (tag === 'sortClause' || tag === 'groupClause') {
      collect(withoutSingleNames(inner), given, places)
      continue
    }
    const place = tag === 'ColumnRef' ? placeOf(inner, given) : undefined
    if (place) places.push(place)
    else collect(inner, given, places)
  }
}

const withoutSingleNames = (items: unknown): readonly unknown[] =>
  (Array.isArray(items) ? items : []).filter(
    (item) =>
      !/^(?:\{"SortBy":\{"node":)?\{"ColumnRef":\{"fields":\[\{"String":\{[^{}]*\}\}\],/.test(
        JSON.stringify(item),
      ),
  )

function placeOf(node: unknown, { functionName, names }: Arguments): Place | undefined {
  const { fields = [], location = 0 } = node as { fields?: readonly unknown[]; location?: number } // as: the parser's own shape.
  const [first, second] = fields.map(
    (field) => /^\{"String":\{"sval":"([^"\\]*)"\}\}$/.exec(JSON.stringify(field))?.[1],
  )
  const number = (name: string | undefined): number => (name === undefined ? 0 : names.indexOf(name) + 1)
  if (first === functionName && number(second) > 0)
    return { from: location, count: 2, parameter: number(second) }
  return number(first) > 0 ? { from: location, count: 1, parameter: number(first) } : undefined
}
