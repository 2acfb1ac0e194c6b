import { loadModule, parseSync, scanSync } from 'libpg-query'
import { SYNTAX_ERROR } from '#/mistakes.ts'
import { isWritingVerb, multipleStatements, statementFailed, writeRequired } from '#/statement.ts'

/** Names the parser's file for the bundle of the gateway, where it lies beside the code. */
export const PARSER_FILE = import.meta.resolve('libpg-query/wasm/libpg-query.wasm')

type Node = Readonly<Record<string, unknown>>

/** A read as the grammar sees it. `analyzed` is the text whose names the server has to resolve before the run. */
export interface PostgresRead {
  readonly kind: 'select' | 'explain' | 'show'
  readonly analyzed: string | undefined
  /** The text of an EXPLAIN whose parameters have no values, without the sign that ends it. */
  readonly template?: string
}

/**
 * Judges one statement by the grammar of PostgreSQL itself. Only SELECT, VALUES, TABLE, SHOW, EXPLAIN and EXPLAIN ANALYZE
 * of a SELECT pass; what their names mean is judged later. Throws DatabaseFailure.
 */
export async function readStatement(sql: string): Promise<PostgresRead> {
  const statement = await onlyStatement(sql)
  const [kind, node] = tagged(statement)
  if (kind === 'VariableShowStmt') return { kind: 'show', analyzed: undefined }
  if (kind === 'SelectStmt') {
    requirePure(statement)
    return { kind: 'select', analyzed: sql }
  }
  if (kind === 'ExplainStmt') return explained(sql, node)
  throw writeRequired(verbOf(sql).toUpperCase() || kind.replace(/Stmt$/, ''))
}

/** Throws unless the text has exactly one statement, as far as the grammar of this parser knows it. */
export async function requireOneStatement(sql: string): Promise<void> {
  await loadModule()
  const { statements } = parsed(sql)
  if (statements !== undefined && statements.length > 1) throw multipleStatements()
}

async function onlyStatement(sql: string): Promise<Node> {
  await loadModule()
  const { statements, position } = parsed(sql)
  if (statements === undefined) throw unreadable(sql, position)
  if (statements.length > 1) throw multipleStatements()
  return statements[0] ?? raise(statementFailed('42601', { mistake: SYNTAX_ERROR }))
}

/** A verb that acts, in a form that this grammar does not know, is no read; everything else is a mistake. */
function unreadable(sql: string, position: number | undefined): Error {
  const verb = verbOf(sql)
  return isWritingVerb(verb, ACTING)
    ? writeRequired(verb.toUpperCase())
    : statementFailed('42601', { position, mistake: SYNTAX_ERROR })
}

const verbOf = (sql: string): string => VERB.exec(sql)?.[1] ?? ''

const VERB = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[^*]*\*\/|\()*(\w+)/
/** The commands of PostgreSQL that are no reads (sql-commands.html), and those of its forks. */
const ACTING = new Set(
  (
    'abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate declare delete discard ' +
    'do drop end execute fetch grant import insert listen load lock merge move notify prepare reassign refresh reindex ' +
    'release repack reset revoke rollback savepoint security set start truncate unlisten update upsert vacuum wait'
  ).split(' '),
)

interface Parsed {
  readonly statements?: readonly Node[]
  readonly position?: number
}

function parsed(sql: string): Parsed {
  try {
    const { stmts = [] } = parseSync(sql) as { stmts?: readonly { stmt: Node }[] } // as: the parser's own shape, pinned by the lock file.
    return { statements: stmts.map(({ stmt }) => stmt) }
  } catch (error) {
    const details = error instanceof Error && 'sqlDetails' in error ? error.sqlDetails : undefined
    const cursor = isNode(details) ? details['cursorPosition'] : undefined
    return typeof cursor === 'number' ? { position: cursor + 1 } : {}
  }
}

/**
 * EXPLAIN plans and runs nothing, unless ANALYZE asks for it; planning evaluates functions, so names are resolved too. With
 * ANALYZE, what runs is judged as it would be without EXPLAIN.
 */
function explained(sql: string, node: Node): PostgresRead {
  const options = Array.isArray(node['options']) ? node['options'] : []
  const query = node['query']
  if (!isNode(query)) throw writeRequired('Explain')
  const [kind, inner] = tagged(query)
  for (const option of options) requirePlanOnly(option, kind)
  if (kind === 'SelectStmt') requirePure(query)
  else if (PLANNED.has(kind)) requirePure(inner)
  else throw writeRequired(`Explain of ${kind.replace(/Stmt$/, '')}`)
  const template = JSON.stringify(query).includes('"ParamRef"') ? { template: withoutEnd(sql) } : {}
  return { kind: 'explain', analyzed: innerText(sql, query), ...template }
}

/** Without the semicolon behind it, and surely without another one. */
function withoutEnd(sql: string): string {
  const { tokens } = scanSync(sql)
  const end = tokens.find(({ text }) => text === ';')?.start
  return end === undefined ? sql : Buffer.from(sql).subarray(0, end).toString()
}

const PLANNED = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])
const HARMLESS_OPTIONS = new Set(
  'verbose costs settings generic_plan buffers wal timing summary memory serialize format'.split(' '),
)

function requirePlanOnly(option: unknown, kind: string): void {
  const element = isNode(option) ? option['DefElem'] : undefined
  const name = isNode(element) ? element['defname'] : undefined
  if (typeof name === 'string' && HARMLESS_OPTIONS.has(name)) return
  const isHarmless = kind === 'SelectStmt' || (isNode(element) && isFalse(element['arg']))
  if (name === 'analyze' && isHarmless) return
  throw writeRequired(name === 'analyze' ? `Explain Analyze of ${kind.replace(/Stmt$/, '')}` : 'Explain')
}

const isFalse = (value: unknown): boolean => {
  const text = JSON.stringify(value ?? null)
  return /^\{"(String|Boolean|Integer)":\{("(sval|boolval|ival)":("(false|off|FALSE|OFF)"|false|0))?\}\}$/.test(
    text,
  )
}

/** The text of the statement inside EXPLAIN: the first rest of it that reads the same. */
function innerText(sql: string, query: Node): string {
  const wanted = withoutPlaces(query)
  for (const { index } of sql.matchAll(/(?<![\w$])[a-z(]/gi)) {
    const rest = sql.slice(index)
    const { statements } = /^(select|with|values|table|insert|update|delete|merge|\()/i.test(rest)
      ? parsed(rest)
      : {}
    if (statements?.length === 1 && statements[0] && withoutPlaces(statements[0]) === wanted) return rest
  }
  throw writeRequired('Explain')
}

const withoutPlaces = (node: Node): string =>
  JSON.stringify(node, (name, value: unknown) =>
    /^(location|list_start|list_end|rexpr_list_start|rexpr_list_end)$/.test(name) ? undefined : value,
  )

/** No writing statement, no INTO and no row lock anywhere below. */
function requirePure(node: unknown): void {
  if (Array.isArray(node)) for (const item of node) requirePure(item)
  if (!isNode(node) || Array.isArray(node)) return
  for (const [name, inner] of Object.entries(node)) {
    if (name === 'intoClause') throw writeRequired('Select Into')
    if (name === 'lockingClause') throw writeRequired('Select For Update or Share')
    if (/^[A-Z]\w*Stmt$/.test(name) && name !== 'SelectStmt') throw writeRequired(name.replace(/Stmt$/, ''))
    requirePure(inner)
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

function tagged(statement: Node): readonly [string, Node] {
  const [entry] = Object.entries(statement)
  return entry && isNode(entry[1]) ? [entry[0], entry[1]] : raise(writeRequired('unknown'))
}

const raise = (error: Error): never => {
  throw error
}
