import { writeRequired } from '#/statement.ts'
import { hidesArguments } from './arguments.ts'
import { catalogAnswer, catalogQuery, type CatalogAnswer, type CatalogFunction } from './catalog.ts'
import { ServerError } from './exchange.ts'
import { isExtensionRead, isSystemRead, isTraceless } from './functions.ts'
import { constantsGiven, givenTo } from './given-texts.ts'
import { inlinedBody, isSelect } from './sql-function.ts'
import { isSame, quoted, SESSION, type Surroundings, surroundingsOf } from './surroundings.ts'
import { FIRST_USER_ID, idsOf, type TreeIds } from './tree.ts'
import type { PostgresSession } from './session.ts'

/** Where names are asked about. */
export interface Server extends Pick<PostgresSession, 'simple' | 'analyze'> {
  /** The same without text literals, where those may run code: what a text says is judged by it first. */
  readonly blank?: Server
}

/** Deeper nesting of functions, views and domains than this is not resolved. */
const MAX_ROUNDS = 24

/** What a read leaves in its session (decision 0289). */
export type Remains = 'leaves nothing' | 'unknown'

/** One judgement: what is left to follow in other surroundings shares what was followed there already. */
interface Judgement {
  readonly server: Server
  readonly within: Surroundings
  readonly visited: Set<string>
  /** Every answer of the catalogs. */
  readonly answers: CatalogAnswer[]
}

/**
 * Follows everything that a statement would run: functions, operators, aggregates, casts and types of its query trees,
 * behind views, policies, domains and bodies of SQL functions. Throws `database.write_required` for the first that is
 * not known to be a read (decision 0148). `trees` are as the server printed them.
 */
export async function requireReads(server: Server, trees: readonly string[]): Promise<Remains> {
  const answers: CatalogAnswer[] = []
  await follow({ server, within: SESSION, visited: new Set(), answers }, trees)
  return answers.every(leavesNothing) ? 'leaves nothing' : 'unknown'
}

const leavesNothing = ({ libraries, functions }: CatalogAnswer): boolean =>
  libraries.length === 0 &&
  functions.every((one) => one.id < FIRST_USER_ID && isTraceless(one.name, one.volatility) && !givenTo(one))

async function follow(at: Judgement, trees: readonly string[]): Promise<void> {
  const seen = new Set<number>()
  const all = [...trees]
  const given: CatalogFunction[] = []
  let ids = fresh(idsOf(trees), seen)
  if (!OPERATOR.test(trees.join(' ')) && ids.functions.length === 0 && ids.objects.length === 0) return
  let { types, sortOperators } = ids
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = catalogAnswer(await at.server.simple(catalogQuery({ ...ids, types, sortOperators })))
    at.answers.push(answer)
    const [stranger] = answer.strangers
    if (stranger !== undefined) throw writeRequired(`the relation ${stranger}`)
    given.push(...answer.functions.filter(givenTo))
    const found = [...answer.trees, ...(await bodiesOf(at, answer.functions))]
    all.push(...found)
    const next = withAmbient(idsOf(found), answer)
    for (const id of answer.calls) seen.add(id)
    ids = fresh(next, seen)
    types = next.types
    sortOperators = next.sortOperators
    if (ids.functions.length > 0 || ids.objects.length > 0) continue
    for (const one of given) await followGiven(at, one, all)
    return
  }
  throw writeRequired('names that lead too far')
}

/** Follows what a function does with the constants that it is given. Throws when they are not all known. */
async function followGiven(at: Judgement, one: CatalogFunction, trees: readonly string[]): Promise<void> {
  const row = givenTo(one)
  const constants = row && !one.isIndirect ? constantsGiven(trees, one.id, row) : undefined
  if (!row || !constants) return refuse(one)
  for (const constant of constants) {
    const key = JSON.stringify(['given', row.kind, constant, at.within])
    if (at.visited.has(key)) continue
    at.visited.add(key)
    if (row.kind === 'type') await followType(at, one, constant)
    else await followText(at, one, row.kind === 'table' ? await readOf(at, one, constant) : constant)
  }
}

async function followText(at: Judgement, one: CatalogFunction, text: string): Promise<void> {
  if (!(await isSelect(text))) return refuse(one)
  const { blank } = at.server
  if (blank)
    await follow(
      { ...at, server: blank, visited: new Set() },
      await treesOf({ ...at, server: blank }, text, one),
    )
  await follow(at, await treesOf(at, text, one))
}

/** The statement with which a function reads a table. */
async function readOf({ server }: Judgement, one: CatalogFunction, id: string): Promise<string> {
  const [row] = await server.simple(`select pg_catalog.format('select * from %I.%I', n.nspname, c.relname)
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = ${id}::pg_catalog.oid`)
  return row?.[0] ?? refuse(one)
}

/** A name of a type is looked up where the session is, so elsewhere it is not known. */
async function followType(at: Judgement, one: CatalogFunction, name: string): Promise<void> {
  if (!isSame(at.within, SESSION)) return refuse(one)
  const [row] = await at.server.simple(
    `select pg_catalog.to_regtype(${quoted(name)})::pg_catalog.oid::pg_catalog.int8`,
  )
  const id = row?.[0]
  // A type that does not exist is an error of the server.
  if (id) await follow(at, [`{CONST :consttype ${id} :constvalue <>}`])
}

const OPERATOR = /:(opno|opnos|\w*eqop|\w*sortop|\w*neop)\s/

function withAmbient(ids: TreeIds, { ambient, objects }: CatalogAnswer): TreeIds {
  // Planning folds constants of indexes and constraints: only what somebody created can lie about being immutable.
  const folded = idsOf(ambient).objects
  return { ...ids, objects: [...new Set([...ids.objects, ...objects, ...folded])] }
}

function fresh({ functions, types, sortOperators, objects }: TreeIds, seen: Set<number>): TreeIds {
  const unseen = (id: number): boolean => !seen.has(id)
  const left = { functions: functions.filter(unseen), types, sortOperators, objects: objects.filter(unseen) }
  for (const id of [...left.functions, ...left.objects]) seen.add(id)
  return left
}

/** Query trees of the bodies of SQL functions that are understood as here. Throws for a function that is not known to be a read. */
async function bodiesOf(at: Judgement, functions: readonly CatalogFunction[]): Promise<readonly string[]> {
  const bodies: string[] = []
  for (const one of functions) {
    if (givenTo(one)) continue
    if (one.id < FIRST_USER_ID) {
      if (!isSystemRead(one.name, one.volatility)) throw notRead(one)
      continue
    }
    if (one.defaults !== null) bodies.push(one.defaults)
    if (one.language === 'sql') bodies.push(...(await bodyFollowed(at, one)))
    else if (!isKnown(one)) throw notRead(one)
  }
  return bodies
}

/** The trees of a body; none when it has surroundings of its own, where it is followed at once. */
async function bodyFollowed(at: Judgement, one: CatalogFunction): Promise<readonly string[]> {
  const within = surroundingsOf(at.within, one) ?? refuse(one)
  if (isSame(within, at.within)) return bodyTrees(at, one)
  const key = JSON.stringify(['body', one.id, within])
  if (at.visited.has(key)) return []
  at.visited.add(key)
  const inner = { ...at, within }
  await follow(inner, await bodyTrees(inner, one))
  return []
}

// The parts of an aggregate are functions of their own, which the same query brings.
const isKnown = ({
  isAggregate,
  extension,
  language,
  name,
  volatility,
  source,
}: CatalogFunction): boolean => {
  if (isAggregate) return true
  if (extension === null || !isExtensionRead(extension, name, volatility)) return false
  return language === 'c' || (language === 'internal' && isSystemRead(source, volatility))
}

function notRead({ schema, name, id, language, extension }: CatalogFunction): Error {
  if (id < FIRST_USER_ID) return writeRequired(`the function ${name}`)
  const reason =
    extension === null && language !== 'sql' ? `, whose body in ${language} says nothing of its effects` : ''
  return writeRequired(`the function ${schema}.${name}${reason}`)
}

async function bodyTrees(at: Judgement, one: CatalogFunction): Promise<readonly string[]> {
  if (one.body !== null) return isPureTree(one.body) ? [one.body] : refuse(one)
  const text = await inlinedBody(one)
  if (text === undefined) return refuse(one)
  const trees = await treesOf(at, text, one, one.argumentTypes)
  if (text === one.source || !hidesArguments(trees, one.argumentNames ?? [])) return trees
  // Without parameters it is understood only if no name in it is an argument's.
  return treesOf(at, one.source, one, one.argumentTypes)
}

async function treesOf(
  { server, within }: Judgement,
  text: string,
  one: CatalogFunction,
  types: readonly number[] = [],
): Promise<readonly string[]> {
  try {
    const trees = await server.analyze(text, types, within)
    return trees.length > 0 ? trees : refuse(one)
  } catch (error) {
    if (error instanceof ServerError) return refuse(one)
    throw error
  }
}

/** Whether a stored query tree has no command but SELECT (CMD_SELECT is 1) and no row locks. */
const isPureTree = (tree: string): boolean =>
  [...tree.matchAll(/:commandType (\d+)/g)].every(([, command]) => command === '1') &&
  !tree.includes(':rowMarks (')

const refuse = (one: CatalogFunction): never => {
  throw notRead(one)
}
