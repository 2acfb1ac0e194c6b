import { argumentsBehind, inOneLine, mentionsOf } from './calls.ts'
import type { CatalogFunction } from './catalog.ts'
import { nodeOf } from './printed-types.ts'

/** Where a statement and the relations that it reads name functions. */
export interface NamedIn {
  /** Trees of the statement, and of everything that runs with it. */
  readonly trees: readonly string[]
  /** Trees of indexes, constraints, partitions and statistics, of which planning folds constants. */
  readonly ambient: readonly string[]
  /** Functions that nothing names and something may call, such as casts to text. */
  readonly unnamed: readonly number[]
}

/**
 * Whether a function is only named where a relation is declared, and called with a column each time: a read of the relation never calls it.
 * Planning calls a function of an index or a constraint when all of its arguments are constants, or become constants
 * (eval_const_expressions of clauses.c), and a column never does.
 */
export function isNeverCalled(one: CatalogFunction, { trees, ambient, unnamed }: NamedIn): boolean {
  // A body in SQL takes the place of its call, and constants of it are folded then.
  const isOpaque = one.language !== 'sql' && !one.isAggregate && !one.isIndirect && one.partOf.length === 0
  if (!isOpaque || unnamed.includes(one.id)) return false
  const [run, declared] = [inOneLine(trees), inOneLine(ambient)]
  if (run === undefined || declared === undefined || mentionsOf(run, one.id).length > 0) return false
  const mentions = mentionsOf(declared, one.id)
  return mentions.length > 0 && mentions.every((mention) => argumentsBehind(mention)?.some(isColumn) === true)
}

/** A column, or what is made of it alone: a function of several arguments may be NULL whatever the column is. */
function isColumn(printed: string): boolean {
  const tag = /^\{(\w+) /.exec(printed)?.[1] ?? ''
  if (tag === 'VAR') return true
  if (OF_ONE.has(tag)) return isColumn(nodeOf(printed, 'arg'))
  const [first, ...others] = tag === 'FUNCEXPR' ? (argumentsBehind(printed.slice(FUNCTION)) ?? []) : []
  return first !== undefined && others.length === 0 && isColumn(first)
}

const FUNCTION = '{FUNCEXPR '.length
const OF_ONE = new Set(['RELABELTYPE', 'COLLATEEXPR', 'COLLATE', 'COERCEVIAIO'])
