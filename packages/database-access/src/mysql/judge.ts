import { SYNTAX_ERROR } from '#/mistakes.ts'
import { isWritingVerb, multipleStatements, statementFailed, writeRequired } from '#/statement.ts'
import { areHarmlessHints, isMysqlRead, RESERVED, STRUCTURE } from './functions.ts'
import { type NamedObject, relationAt, relationsOf } from './relations.ts'
import { isName, isSign, keywordAt, type QuotingMode, type Token, tokenize, wordAt } from './tokens.ts'
import { ACTING_VERBS } from './verbs.ts'

/** What has to be resolved on the server before a statement is known to be a read. */
export interface Named {
  /** EXPLAIN of a write: nothing runs, but some servers refuse it in a read-only transaction. */
  readonly plansWrite?: boolean
  readonly relations: readonly NamedObject[]
  readonly functions: readonly NamedObject[]
  /** Where names without a schema are looked for, when it is not the default one. */
  readonly schema?: string
  /** It answers rows itself, and is neither a plan nor a list of the server. */
  readonly isQuery?: boolean
  /** A query stands within it. */
  readonly holdsQuery?: boolean
  /** MySQL ends no such statement at its time, and runs queries within it. */
  readonly isUntimed?: boolean
}

/** Throws for more than one statement; `undefined` when the text cannot be read. */
export function oneStatement(sql: string, mode: QuotingMode): readonly Token[] | undefined {
  const tokens = tokenize(sql, mode)
  if (!tokens) return undefined
  const end = tokens.findIndex((token) => isSign(token, ';'))
  if (end === -1) return tokens
  if (tokens.slice(end).some((token) => !isSign(token, ';'))) throw multipleStatements()
  return tokens.slice(0, end)
}

/** Judges a statement by its words (decision 0149). Throws `database.write_required`. */
export function judgeStatement(sql: string, mode: QuotingMode): Named {
  const tokens = oneStatement(sql, mode)
  if (!tokens) throw unreadable()
  const plain = withoutHints(tokens)
  const first = plain.findIndex((token) => !isSign(token, '('))
  const verb = wordAt(plain, first)
  const kind = KINDS.get(verb)
  if (kind) return { ...kind(plain, first), isQuery: QUERIES.has(verb) }
  throw isWritingVerb(verb, ACTING_VERBS) ? writeRequired(verb.toUpperCase()) : unreadable()
}

/** What no server of the two would parse either. */
const unreadable = (): Error => statementFailed('ER_PARSE_ERROR', { mistake: SYNTAX_ERROR })

/** Judges an expression, such as the body of a stored function behind RETURN. */
export const judgeExpression = (sql: string, mode: QuotingMode): Named =>
  judgeStatement(`select ${sql}`, mode)

/** Whether a text can be read, and no second statement begins in it. */
export const isOneExpression = (sql: string, mode: QuotingMode): boolean =>
  tokenize(sql, mode)?.every((token) => !isSign(token, ';')) === true

/** The defaults of the parameters of a stored function: what stands in the first parentheses of its header. */
export function judgeParameters(header: string, mode: QuotingMode): Named {
  const all = tokenize(header, mode)
  if (!all) return refuse('a function that cannot be read')
  const tokens = withoutHints(all)
  const open = tokens.findIndex((token) => isSign(token, '('))
  const list = tokens.slice(open + 1, closeOf(tokens, open))
  return list.some((_, index) => wordAt(list, index) === 'default') ? judgeQuery(list, 0) : NOTHING
}

/** Where a parenthesis ends. */
function closeOf(tokens: readonly Token[], open: number): number {
  let depth = 0
  const close = tokens.findIndex((token, index) => {
    if (index < open) return false
    depth += isSign(token, '(') ? 1 : isSign(token, ')') ? -1 : 0
    return depth === 0
  })
  return close === -1 ? tokens.length : close
}

type Judge = (tokens: readonly Token[], first: number) => Named

const judgeQuery: Judge = (tokens) => {
  requireNoEffects(tokens)
  return { relations: relationsOf(tokens), functions: functionsOf(tokens), holdsQuery: holdsQuery(tokens) }
}

const holdsQuery = (tokens: readonly Token[]): boolean =>
  tokens.some((token, index) => isSign(token, '(') && QUERIES.has(wordAt(tokens, index + 1)))

/** The plan of a write: nothing runs but queries within it, some of which are run for the plan. */
const planOf = (inner: Named): Named => ({ ...inner, plansWrite: true, isUntimed: true })

const judgeExplain: Judge = (tokens, first) => {
  const rest = tokens.slice(first + 1)
  const planned = rest.slice(behindOptions(rest))
  if (wordAt(planned, 0) === 'analyze') return judgeAnalyzed(planned.slice(1), QUERIES)
  if (wordAt(planned, 0) !== 'for' || wordAt(planned, 1) !== 'connection')
    return inSchema(planned, judgePlanned)
  // An expression there would run.
  return planned.length === 3 && planned[2]?.kind === 'number' ? NOTHING : refuse('EXPLAIN FOR CONNECTION')
}

/** `FOR SCHEMA name` of MySQL before the statement that is planned. */
function inSchema(tokens: readonly Token[], judge: (rest: readonly Token[]) => Named): Named {
  if (wordAt(tokens, 0) !== 'for') return judge(tokens)
  const name = tokens[2]
  if (!/^(schema|database)$/.test(wordAt(tokens, 1)) || !name || !isName(name)) return refuse('EXPLAIN FOR')
  return { ...judge(tokens.slice(3)), schema: name.text }
}

/** What EXPLAIN plans, or a table that it describes. */
function judgePlanned(tokens: readonly Token[]): Named {
  const verb = wordAt(
    tokens,
    tokens.findIndex((token) => !isSign(token, '(')),
  )
  if (QUERIES.has(verb)) return judgeQuery(tokens, 0)
  if (verb === 'delete') return planOf(judgeQuery(tokens.slice(1), 0))
  if (verb === 'update') return planOf(judgeQuery(asQuery(tokens), 0))
  if (verb === 'insert' || verb === 'replace') return judgeInsertPlan(tokens, 0)
  if (/^(into|execute|stop|json|analyze|for)$/.test(verb))
    throw writeRequired(`EXPLAIN ${verb.toUpperCase()}`)
  // `DESCRIBE t` and `DESCRIBE t column`.
  return functionsOf(tokens).length > 0
    ? refuse('EXPLAIN')
    : { relations: relationAt(tokens, 0), functions: [] }
}

/** UPDATE as a query of its relations and values, without the words that would be those of a write. */
const asQuery = (tokens: readonly Token[]): readonly Token[] => [
  { kind: 'word', text: 'from', isApart: true },
  ...tokens.filter((_, index) => index > 0 && !OF_UPDATE.has(wordAt(tokens, index))),
]

const OF_UPDATE = new Set(['set', 'low_priority', 'ignore'])
const INSERT_OPTIONS = new Set(['low_priority', 'delayed', 'high_priority', 'ignore'])

/** The plan of INSERT or REPLACE: the table, then values or a query, which are judged as they would be by themselves. */
function judgeInsertPlan(tokens: readonly Token[], verb: number): Named {
  let at = verb + 1
  while (INSERT_OPTIONS.has(wordAt(tokens, at))) at += 1
  if (wordAt(tokens, at) === 'into') at += 1
  const target = relationAt(tokens, at)
  if (target.length === 0) refuse('EXPLAIN INSERT')
  at += target[0]?.schema === undefined ? 1 : 3
  if (wordAt(tokens, at) === 'partition') at = behindList(tokens, at + 1)
  const isQuery = QUERIES.has(wordAt(tokens, at + 1)) || isSign(tokens[at + 1], '(')
  if (isSign(tokens[at], '(') && !isQuery) at = behindList(tokens, at)
  const rest = tokens.slice(at).filter((_, index, given) => !isPartOfInsert(given, index))
  const inner = judgeQuery(rest, 0)
  const behindVerb = rest.slice(rest.findIndex((token) => !isSign(token, '(')))
  return planOf({
    ...inner,
    relations: [...target, ...inner.relations],
    holdsQuery: holdsQuery(behindVerb),
  })
}

/** SET at the beginning, and UPDATE of `ON DUPLICATE KEY UPDATE`. */
const isPartOfInsert = (tokens: readonly Token[], index: number): boolean =>
  (index === 0 && wordAt(tokens, index) === 'set') ||
  (wordAt(tokens, index) === 'update' &&
    ['key', 'duplicate', 'on'].every((word, back) => wordAt(tokens, index - 1 - back) === word))

/** Where the statement goes on behind a list of names in parentheses. */
function behindList(tokens: readonly Token[], open: number): number {
  const close = tokens.findIndex((token, index) => index > open && isSign(token, ')'))
  const inside = tokens.slice(open + 1, close)
  const isList =
    isSign(tokens[open], '(') &&
    close !== -1 &&
    inside.every((token) => isName(token) || isSign(token, ',') || isSign(token, '.'))
  return isList ? close + 1 : refuse('EXPLAIN INSERT')
}

/** `ANALYZE` of MariaDB. `ANALYZE TABLE` writes statistics. */
const judgeAnalyze: Judge = (tokens, first) => judgeAnalyzed(tokens.slice(first + 1), ANALYZED)

/** `ANALYZE` of MariaDB and `EXPLAIN ANALYZE` of MySQL run a query, which is judged as it would be by itself. */
const judgeAnalyzed = (tokens: readonly Token[], verbs: ReadonlySet<string>): Named =>
  inSchema(tokens.slice(behindOptions(tokens)), (query) => {
    const verb = wordAt(
      query,
      query.findIndex((token) => !isSign(token, '(')),
    )
    return verbs.has(verb) ? judgeQuery(query, 0) : refuse(`ANALYZE ${verb.toUpperCase()}`)
  })

/** Where the statement begins behind `EXTENDED`, `PARTITIONS` and `FORMAT = …`. */
function behindOptions(tokens: readonly Token[]): number {
  let at = 0
  for (; OPTIONS.has(wordAt(tokens, at)); at += 1) if (wordAt(tokens, at) === 'format') at += 2
  return at
}

const judgeShow: Judge = (tokens, first) => {
  if (SHOWN_PLAN.test(tokens.map(({ text }) => text.toLowerCase()).join(' '))) return NOTHING
  const words = tokens.slice(first + 1, first + 5).map((_, index) => wordAt(tokens, first + 1 + index))
  if (!SHOWN.test(words.join(' '))) throw writeRequired(`SHOW ${(words[0] ?? '').toUpperCase()}`)
  const where = tokens.findIndex((_, index) => wordAt(tokens, index) === 'where')
  const condition = where === -1 ? [] : tokens.slice(where)
  return { ...judgeQuery(condition, 0), isUntimed: true }
}

const judgeHelp: Judge = () => NOTHING

const NOTHING: Named = { relations: [], functions: [] }
const OPTIONS = new Set(['extended', 'partitions', 'format'])
const QUERIES = new Set(['select', 'with', 'values', 'table'])
const ANALYZED = new Set(['select', 'with'])
const KINDS: ReadonlyMap<string, Judge> = new Map(
  Object.entries({
    select: judgeQuery,
    with: judgeQuery,
    values: judgeQuery,
    table: judgeQuery,
    explain: judgeExplain,
    describe: judgeExplain,
    desc: judgeExplain,
    analyze: judgeAnalyze,
    show: judgeShow,
    help: judgeHelp,
  }),
)

/** `SHOW EXPLAIN FOR 7` of MariaDB, which is `EXPLAIN FOR CONNECTION 7`. */
const SHOWN_PLAN = /^show (explain|analyze)( format = json)? for \d+$/

/** SHOW statements that only read. SHOW BINLOG EVENTS and its kin hold a lock of the log meanwhile, so they are not here. */
const SHOWN =
  /^((extended )?(full )?(databases|schemas|tables|columns|fields|index|indexes|keys|triggers|events|processlist)|create (table|view|database|schema|procedure|function|trigger|event|user|sequence|package|library|server)|(global |session |local )?(status|variables)|grants|(storage )?engines|engine \w+ (status|mutex)|warnings|errors|count|plugins(?! soname)|character set|charset|collation|(function|procedure|table|package|package body|library) status|(function|procedure) code|open tables|privileges|profiles?|(master|slave|replica|binlog|binary log) {1,2}status|replicas|(slave|replica) hosts|(binary|master) logs|all (slaves|replicas) status|authors|contributors|locales|index_statistics|table_statistics|user_statistics|client_statistics)\b/

/** Reserved words that lock, write or leave the server, wherever they stand. They cannot be names without quotes. */
function requireNoEffects(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const word = wordAt(tokens, index)
    const next = wordAt(tokens, index + 1)
    if (isSign(token, ':=')) throw writeRequired('an assignment')
    if (word === '' || isSign(tokens[index - 1], '.')) continue
    if (word === 'set' && wordAt(tokens, index - 1) === 'character') continue
    if (FORBIDDEN.has(word) && !(CALLABLE.has(word) && isSign(tokens[index + 1], '(')))
      throw writeRequired(word.toUpperCase())
    if (word === 'for' && (next === 'update' || next === 'share')) throw writeRequired('FOR UPDATE or SHARE')
    if (word === 'next' && next === 'value' && wordAt(tokens, index + 2) === 'for')
      throw writeRequired('NEXT VALUE')
  }
}

const FORBIDDEN = new Set(
  'into update delete insert replace lock procedure outfile call load set grant revoke drop alter create'.split(
    ' ',
  ),
)
/** Also functions: INSERT(), REPLACE(), and SET of `CHARACTER SET`. */
const CALLABLE = new Set(['insert', 'replace'])

/** Everything that is called, or looks like it. */
function functionsOf(tokens: readonly Token[]): readonly NamedObject[] {
  return tokens.flatMap((token, index) => {
    if (!isName(token) || !isSign(tokens[index + 1], '(')) return []
    const name = token.text
    const lower = name.toLowerCase()
    if (isSign(tokens[index - 1], '.')) {
      if (isSign(tokens[index - 3], '.')) refuse(`the function ${name} of a package`)
      return [{ schema: tokens[index - 2]?.text, name }]
    }
    if (token.kind === 'word' && RESERVED.has(lower)) return []
    if (lower === 'last_insert_id')
      return isSign(tokens[index + 2], ')') ? [] : refuse('LAST_INSERT_ID with a value')
    return isColumnList(tokens, index) ? [] : [{ schema: undefined, name }]
  })
}

/** Whether a called name that no stored function has is a function or word of the server without effect. */
export const isHarmlessCall = (name: string): boolean =>
  isMysqlRead(name.toLowerCase()) || STRUCTURE.has(name.toLowerCase())

/** `WITH name (a, b) AS (` or `AS name (a, b)`. */
function isColumnList(tokens: readonly Token[], index: number): boolean {
  const close = tokens.findIndex((token, at) => at > index && isSign(token, ')'))
  const inside = tokens.slice(index + 2, close)
  const isList =
    inside.length > 0 && inside.every((token, at) => (at % 2 === 0 ? isName(token) : isSign(token, ',')))
  const isCte = wordAt(tokens, close + 1) === 'as' && isSign(tokens[close + 2], '(')
  return isList && (isCte || wordAt(tokens, index - 1) === 'as')
}

/** Without comments that only some servers read: what such a comment says is judged as if it were read, where it may be left out. */
function withoutHints(tokens: readonly Token[]): readonly Token[] {
  const plain: Token[] = []
  for (const token of tokens) {
    const { kind, text } = token
    if (kind === 'unclear') throw writeRequired('a number without its exponent')
    if (kind === 'hint' && !areHarmlessHints(text)) throw writeRequired('an optimizer hint')
    if (kind === 'executable') plain.push(...wordOfComment(token, plain))
    else if (kind !== 'hint') plain.push(token)
  }
  return plain
}

/** A version of five digits, of which an older server might read the sixth as a number. */
const EMPTY_COMMENT = /^!?(\d{5})?\s*$/
const COMMENT_WORD = /^!?\d*\s*([a-z]\w*)\s*$/i
const COMMENT_INDEX_HINT =
  /^!?\d*\s*(?:use|force|ignore)\s+(?:index|key)\s*(?:for\s+(?:join|order\s+by|group\s+by)\s*)?\(\s*(?:`?\w+`?\s*(?:,\s*`?\w+`?\s*)*)?\)\s*$/i

/**
 * `/*!40001 SQL_NO_CACHE *\/` behind SELECT, `/*!50002 GLOBAL *\/` behind SHOW, an index hint, or nothing. Throws for other
 * comments.
 */
function wordOfComment(token: Token, before: readonly Token[]): readonly Token[] {
  if (EMPTY_COMMENT.test(token.text) || COMMENT_INDEX_HINT.test(token.text)) return []
  const word = COMMENT_WORD.exec(token.text)?.[1]?.toLowerCase() ?? ''
  const verb = before.findLastIndex((_, index) => !MODIFIERS.has(keywordAt(before, index)))
  const isOfSelect = keywordAt(before, verb) === 'select' && MODIFIERS.has(word)
  const isOfShow = before.length === 1 && wordAt(before, 0) === 'show' && SHOWN_MODIFIERS.has(word)
  if (!isOfSelect && !isOfShow) throw writeRequired('an executable comment')
  return [{ kind: 'word', text: word, isApart: true }]
}

const MODIFIERS = new Set(
  'all distinct high_priority sql_big_result sql_cache sql_no_cache sql_small_result straight_join'.split(
    ' ',
  ),
)
const SHOWN_MODIFIERS = new Set(['extended', 'full', 'global', 'local', 'session'])

const refuse = (subject: string): never => {
  throw writeRequired(subject)
}
