import { isNode, type Node } from './literals.ts'

/**
 * Types that nobody can have given a check: `pg_catalog` comes first in the search path of a read. A type that is not here, such as one
 * of an extension, may be a domain.
 */
const BUILT_IN = new Set(
  [
    'bit bool bpchar bytea char cidr date float4 float8 inet int2 int4 int8 interval json jsonb macaddr macaddr8 money name numeric oid',
    'point text time timetz timestamp timestamptz tsquery tsvector uuid varbit varchar xml',
  ].flatMap((names) => names.split(' ')),
)

/**
 * Whether SQL/JSON in the tree of a statement answers a type that may be a domain: for `JSON_VALUE` and columns of `JSON_TABLE` the server makes the
 * value of an empty or broken input, and so evaluates the check of the domain, while it parses them, without any text literal.
 */
export function answersJsonAsOwnType(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(answersJsonAsOwnType)
  if (!isNode(node)) return false
  return Object.entries(node).some(
    ([tag, inner]) =>
      (isJsonType(tag, inner) && !isBuiltIn(inner['typeName'])) || answersJsonAsOwnType(inner),
  )
}

/** What stands behind RETURNING, and a column of JSON_TABLE that has a type. */
const isJsonType = (tag: string, inner: unknown): inner is Node =>
  isNode(inner) &&
  ((tag === 'output' && 'returning' in inner) || (tag === 'JsonTableColumn' && 'typeName' in inner))

function isBuiltIn(type: unknown): boolean {
  const names = isNode(type) && Array.isArray(type['names']) ? type['names'].map(nameOf) : []
  const own = names[0] === 'pg_catalog' ? names.slice(1) : names
  return own.length === 1 && BUILT_IN.has(own[0] ?? '') && isNode(type) && type['pct_type'] !== true
}

const nameOf = (name: unknown): string => {
  const text = isNode(name) && isNode(name['String']) ? name['String']['sval'] : undefined
  return typeof text === 'string' ? text : ''
}
