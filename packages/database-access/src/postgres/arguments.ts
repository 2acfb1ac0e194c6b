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
 * to sort or group by stays, since it may be one of the result. Undefined where a name is written in another way than these,
 * such as `U&"\0078"`. Places of the parser are in bytes.
 */
export function argumentsAsParameters(sql: string, given: Arguments): string | undefined {
  const places: Place[] = []
  collect(parseSync(sql), given, places)
  let bytes = Buffer.from(sql)
  for (const { from, count, parameter } of places.toSorted((a, b) => b.from - a.from)) {
    const length = namesLength(bytes.subarray(from).toString(), count)
    if (length === undefined) return undefined
    const rest = bytes.subarray(from + length)
    bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(`$${parameter}`), rest])
  }
  return bytes.toString()
}

/**
 * Whether a tree may have a relation or column of one of these names. The server prefers those to arguments, so the names in
 * the body may mean something else than their parameters.
 */
export function hidesArguments(trees: readonly string[], names: readonly string[]): boolean {
  const wanted = names.filter((name) => name !== '')
  return trees.some((tree) => {
    // The server breaks the lines of a print at blanks, also of names, and a name of more than 78 bytes anywhere.
    const text = withoutBlanks(tree)
    if (!text.includes('{ALIAS')) return false
    return (
      text.includes(CUT_CHARACTER) ||
      wanted.some((name) => SYSTEM_COLUMNS.includes(name) || mayName(text, withoutBlanks(printed(name))))
    )
  })
}

/** A column is printed as `"name"`, and quotes inside of names as they are. */
const mayName = (text: string, name: string): boolean =>
  text.includes(`"${name}"`) || text.includes(`:aliasname${name}:colnames`)

const withoutBlanks = (text: string): string => text.replaceAll(/\s+/g, '')

/** What is left of a character of several bytes in which a line was broken. */
const CUT_CHARACTER = '\uFFFD'
const SYSTEM_COLUMNS = ['ctid', 'xmin', 'cmin', 'xmax', 'cmax', 'tableoid']

/** A name as the server prints it (outToken of outfuncs.c). */
const printed = (name: string): string =>
  name.replaceAll(/[ \n\t(){}\\]/g, String.raw`\$&`).replace(/^(?=["<\d]|[+-][\d.])/, '\\')

const NAME = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`
const NAMES = [new RegExp(`^${NAME}`, 'u'), new RegExp(`^${NAME}\\s*\\.\\s*${NAME}`, 'u')] as const

/** Of names as they are written, in bytes. */
function namesLength(text: string, count: number): number | undefined {
  const written = NAMES[count - 1]?.exec(text)?.[0]
  if (written === undefined || (UNICODE.test(written) && text.startsWith('&"', written.length)))
    return undefined
  return Buffer.byteLength(written)
}

/** What may begin a name with Unicode escapes. */
const UNICODE = /(?:^|[.\s])u$/i

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
