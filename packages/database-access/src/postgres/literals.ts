import { parseSync, scanSync } from 'libpg-query'

export type Node = Readonly<Record<string, unknown>>

/** A text literal, in bytes: of the literal, and of the type in front of it in `type 'text'`. */
interface Place {
  readonly at: number
  readonly typeAt: number | undefined
}

/**
 * The same statement with NULL in the place of each text literal. The server gives both the same type, and for NULL it
 * calls no input function, which for a text evaluates the domains of arrays, composites and ranges while it parses.
 * `tree` is that of the statement. Undefined when the rewritten text does not mean the same.
 */
export function withoutLiterals(sql: string, tree: unknown): string | undefined {
  const places: Place[] = []
  collect(tree, undefined, places)
  const ends = literalEnds(sql)
  let bytes = Buffer.from(sql)
  for (const { at, typeAt } of places.toSorted((a, b) => b.at - a.at)) {
    const end = ends.get(at)
    // A word of the grammar, as in `extract(year from x)`.
    if (end === undefined) continue
    const before = typeAt === undefined ? [] : ['(null::', bytes.subarray(typeAt, at), ')']
    const parts = before.length > 0 ? before : [' null ']
    bytes = Buffer.concat([
      bytes.subarray(0, typeAt ?? at),
      ...parts.map((part) => Buffer.from(part)),
      bytes.subarray(end),
    ])
  }
  const text = bytes.toString()
  return isSame(tree, text) ? text : undefined
}

/** Literals of expressions. Those of types that the grammar itself names, as `interval '1 day'`, stay. */
function collect(node: unknown, cast: Node | undefined, places: Place[]): void {
  if (Array.isArray(node)) for (const item of node) collect(item, undefined, places)
  if (!isNode(node)) return
  for (const [tag, inner] of Object.entries(node)) {
    if (tag === 'pathspec' && isNode(inner) && 'string' in inner) continue
    if (tag === 'A_Const' && isNode(inner) && 'sval' in inner) {
      const at = placeOf(inner)
      if (!isOfGrammar(cast)) places.push({ at, typeAt: cast === undefined ? undefined : typePlace(cast) })
      continue
    }
    if (tag === 'TypeCast' && isNode(inner)) {
      // The parser gives `type 'text'` no place of its own.
      collect(inner['arg'], inner['location'] === -1 ? inner : undefined, places)
      collect(inner['typeName'], undefined, places)
    } else collect(inner, undefined, places)
  }
}

const isOfGrammar = (cast: Node | undefined): boolean =>
  cast !== undefined && JSON.stringify(cast['typeName']).includes('"names":[{"String":{"sval":"pg_catalog"}}')

// The parser leaves out a place of 0.
const placeOf = (node: Node): number => (typeof node['location'] === 'number' ? node['location'] : 0)
const typePlace = ({ typeName }: Node): number => (isNode(typeName) ? placeOf(typeName) : 0)

/** Where each text literal ends, by where it begins; `U&'…' UESCAPE '!'` is one. */
function literalEnds(sql: string): ReadonlyMap<number, number> {
  const tokens = scanSync(sql).tokens.filter(({ tokenName }) => !tokenName.endsWith('COMMENT'))
  return new Map(
    tokens.flatMap(({ start, end, text }, index) => {
      if (!LITERAL.test(text)) return []
      const isEscaped = /^uescape$/i.test(tokens[index + 1]?.text ?? '')
      return [[start, isEscaped ? (tokens[index + 2]?.end ?? end) : end] as const]
    }),
  )
}

const LITERAL = /^(e|u&)?'|^\$[^$]*\$/i

function isSame(tree: unknown, text: string): boolean {
  try {
    return shape(tree) === shape(parseSync(text))
  } catch {
    return false
  }
}

/** A tree without places, and with one sign for NULL and for texts. */
const shape = (tree: unknown): string =>
  JSON.stringify(tree, (name, value: unknown) => {
    if (/^(location|\w+_location|stmt_len|list_start|list_end|rexpr_list_start|rexpr_list_end)$/.test(name))
      return undefined
    return name === 'A_Const' && isNode(value) && ('sval' in value || 'isnull' in value) ? 'text' : value
  })

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
