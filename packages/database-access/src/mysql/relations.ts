import { isName, isSign, keywordAt, type Token, wordAt } from './tokens.ts'

/** A relation or a stored function that a statement names; `schema` is absent for the default one. */
export interface NamedObject {
  readonly schema: string | undefined
  readonly name: string
  /** Nothing but a relation can be where it stands, and no query of the statement has its name. */
  readonly isSure?: boolean
}

/** What is known inside of parentheses. */
interface Level {
  /** A name behind a comma or a parenthesis may be a relation. */
  mayName: boolean
  isQuery: boolean
  /** JOIN may follow. */
  hasFrom: boolean
  /** A name behind a comma is one. */
  isList: boolean
}

/**
 * Names in places where the grammar has relations, and some more: behind FROM they may stand until the next SELECT or the end
 * of the parentheses, since words that end a list of relations elsewhere do not in `FOR ORDER BY (i), v`.
 */
export function relationsOf(tokens: readonly Token[]): readonly NamedObject[] {
  const found: NamedObject[] = []
  const given = queriesWithNames(tokens)
  const sureAt = new Set<number>()
  const levels: Level[] = []
  const whole: Level = { mayName: false, isQuery: false, hasFrom: false, isList: false }
  for (const [index, token] of tokens.entries()) {
    const outer = levels.at(-1) ?? whole
    if (isSure(tokens, index, outer, sureAt)) sureAt.add(index)
    if (isSign(token, '(')) levels.push(levelAt(tokens, index, outer, sureAt.has(index)))
    else if (isSign(token, ')')) levels.pop()
    else follow(tokens, index, outer)
    const previous = tokens[index - 1]
    const opens = isSign(previous, ',') || isSign(previous, '(') || isEscape(tokens, index - 1)
    if (!STARTS.has(keywordAt(tokens, index - 1)) && !(opens && (levels.at(-1) ?? whole).mayName)) continue
    // `.t` is `t`.
    const objects = relationAt(tokens, isSign(token, '.') ? index + 1 : index)
    const isCalled = isSign(tokens[index + 1], '(')
    found.push(
      ...objects.map((one) => ({
        ...one,
        isSure:
          sureAt.has(index) && !isCalled && (one.schema !== undefined || !given.has(one.name.toLowerCase())),
      })),
    )
  }
  return found
}

/** Whether nothing but a relation can begin here. `extract(year from a)` and `a is distinct from b` have other names there. */
function isSure(
  tokens: readonly Token[],
  index: number,
  { isQuery, hasFrom, isList }: Level,
  sureAt: ReadonlySet<number>,
): boolean {
  if (isSign(tokens[index - 1], '(')) return sureAt.has(index - 1)
  if (isSign(tokens[index - 1], ',')) return isList
  if (isEscape(tokens, index - 1)) return sureAt.has(index - 2)
  const word = keywordAt(tokens, index - 1)
  if (JOINS.has(word)) return hasFrom
  return isQuery && STARTS.has(word) && keywordAt(tokens, index - 2) !== 'distinct'
}

const levelAt = (
  tokens: readonly Token[],
  index: number,
  { mayName }: Level,
  isSureHere: boolean,
): Level => ({
  mayName: mayName && !isCallOrList(tokens, index - 1),
  isQuery: isSureHere,
  hasFrom: isSureHere,
  isList: isSureHere,
})

/** Changes what is known by a word that begins a part of a query. */
function follow(tokens: readonly Token[], index: number, level: Level): void {
  const word = keywordAt(tokens, index)
  if (STARTS.has(word)) level.mayName = true
  if (word === 'from' && level.isQuery && keywordAt(tokens, index - 1) !== 'distinct')
    level.hasFrom = level.isList = true
  if (ENDS.has(word) && keywordAt(tokens, index - 1) !== 'for') level.isList = false
  if (word !== 'select') return
  level.isQuery = true
  level.mayName = level.hasFrom = level.isList = false
}

/** The names in `WITH a AS (…), b (x, y) AS (…)`. */
function queriesWithNames(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.filter((token, index) => {
    const before = wordAt(tokens, index - 1)
    if (!isName(token) || !(before === 'with' || before === 'recursive' || isSign(tokens[index - 1], ',')))
      return false
    const hasColumns = isSign(tokens[index + 1], '(')
    const behind = hasColumns ? tokens.findIndex((one, at) => at > index && isSign(one, ')')) + 1 : index + 1
    return wordAt(tokens, behind) === 'as' && isSign(tokens[behind + 1], '(')
  })
  return new Set(['dual', ...names.map(({ text }) => text.toLowerCase())])
}

/** A word before a parenthesis calls something or opens a list of columns, unless relations begin behind it. */
const isCallOrList = (tokens: readonly Token[], index: number): boolean =>
  isName(tokens[index] ?? NO_TOKEN) && !STARTS.has(keywordAt(tokens, index)) && !isEscape(tokens, index)

/** The name in `{oj t left join u on …}`, behind which a relation stands. */
const isEscape = (tokens: readonly Token[], index: number): boolean =>
  isSign(tokens[index - 1], '{') && isName(tokens[index] ?? NO_TOKEN)

const NO_TOKEN: Token = { kind: 'symbol', text: '', isApart: false }

const STARTS = new Set(['from', 'join', 'straight_join', 'table', 'update', 'lateral'])
const JOINS = new Set(['join', 'straight_join'])
/** Words behind which no relation follows a comma, but in `FOR ORDER BY`. */
const ENDS = new Set('where group order having limit union except intersect values'.split(' '))

export function relationAt(tokens: readonly Token[], index: number): readonly NamedObject[] {
  const name = tokens[index]
  if (!name || !isName(name)) return []
  const inner = tokens[index + 2]
  return isSign(tokens[index + 1], '.') && inner
    ? [{ schema: name.text, name: inner.text }]
    : [{ schema: undefined, name: name.text }]
}
