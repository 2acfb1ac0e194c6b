import { writeRequired } from '#/statement.ts'
import { hidesArguments } from './arguments.ts'
import { isPolymorphic, typesOfCalls } from './calls.ts'
import {
  CATALOG_QUERY,
  catalogAnswer,
  catalogSettings,
  type CatalogAnswer,
  type CatalogFunction,
} from './catalog.ts'
import { ServerError } from './exchange.ts'
import { isDisguised, isExtensionRead, isSystemRead, isTraceless } from './functions.ts'
import { constantsGiven, givenTo } from './given-texts.ts'
import { inlinedBody, isSelect } from './sql-function.ts'
import { isArrayOf } from './printed-types.ts'
import { isNeverCalled } from './stored-calls.ts'
import { isSame, quoted, SESSION, type Surroundings, surroundingsOf } from './surroundings.ts'
import { FIRST_USER_ID, idsOf, isWithoutChecks, type TreeIds } from './tree.ts'
import type { PostgresSession } from './session.ts'

/** Where names are asked about. */
export interface Server extends Pick<PostgresSession, 'simple' | 'planned' | 'analyze'> {
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
  // Of these trees too, only constants are folded; a polymorphic function is called with their types.
  const ambient: string[] = []
  const predicates: string[] = []
  const given: CatalogFunction[] = []
  const polymorphic: CatalogFunction[] = []
  const undecided: CatalogFunction[] = []
  const textCasts: number[] = []
  let isGenerated = false
  let castsToText = false
  let ids = fresh(idsOf(trees), seen)
  const isPlain = ids.functions.length === 0 && ids.objects.length === 0 && ids.types.every(isWithoutChecks)
  if (isPlain && !OPERATOR.test(trees.join(' '))) return
  let { types, sortOperators } = ids
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const settings = catalogSettings({ ...ids, types, sortOperators })
    const answer = catalogAnswer(await at.server.planned(CATALOG_QUERY, settings))
    at.answers.push(answer)
    const [stranger] = answer.strangers
    if (stranger !== undefined) throw writeRequired(`the relation ${stranger}`)
    const [hidden] = answer.hidden
    if (hidden !== undefined) throw writeRequired(`${hidden}, which leads to a function of no extension`)
    ambient.push(...answer.ambient)
    predicates.push(...answer.predicates)
    given.push(...answer.functions.filter(givenTo))
    polymorphic.push(...answer.functions.filter(hasCallsTypes))
    const { bodies, others } = await bodiesOf(at, answer.functions)
    undecided.push(...others)
    isGenerated ||= answer.generated.length > 0
    const found = [...answer.trees, ...bodies]
    all.push(...found)
    textCasts.push(...answer.textCasts)
    castsToText ||= answer.functions.some(isOfInitdb)
    const next = withAmbient(idsOf(found), answer, castsToText ? textCasts : [])
    for (const id of answer.calls) seen.add(id)
    ids = fresh(next, seen)
    types = next.types
    sortOperators = next.sortOperators
    if (ids.functions.length > 0 || ids.objects.length > 0) continue
    const named = { trees: [...all, ...predicates], ambient, unnamed: textCasts }
    for (const one of undecided) if (isGenerated || !isNeverCalled(one, named)) throw notRead(one)
    for (const one of given) await followGiven(at, one, all)
    for (const one of polymorphic) await followCalls(at, one, [...named.trees, ...ambient])
    return
  }
  throw writeRequired('names that lead too far')
}

/** Follows what a function does with the constants that it is given. Throws when they are not all known. */
async function followGiven(at: Judgement, one: CatalogFunction, trees: readonly string[]): Promise<void> {
  const row = givenTo(one)
  const isCalled = !one.isIndirect && one.partOf.length === 0
  const constants = row && isCalled ? constantsGiven(trees, one.id, row) : undefined
  if (!row || !constants) return refuse(one)
  for (const constant of constants) {
    const key = JSON.stringify(['given', row.kind, constant, at.within])
    if (at.visited.has(key)) continue
    at.visited.add(key)
    if (row.kind === 'type') await followType(at, one, constant)
    else await followText(at, one, row.kind === 'table' ? await readOf(at, one, constant) : constant)
  }
}

/** A function in SQL whose body is understood with the types of a call. */
const hasCallsTypes = (one: CatalogFunction): boolean =>
  one.language === 'sql' && isPolymorphic(one) && !isOfInitdb(one)

/** Follows its body with the types of each of its calls. Throws when they are not all known. */
async function followCalls(at: Judgement, one: CatalogFunction, trees: readonly string[]): Promise<void> {
  const calls = one.isIndirect ? undefined : typesOfCalls(trees, one)
  for (const types of calls ?? refuse(one))
    await followBody(at, { ...one, argumentTypes: await withArrays(at, types) })
}

/** Types with those of arrays of which the elements are known. */
async function withArrays({ server }: Judgement, types: readonly number[]): Promise<readonly number[]> {
  const elements = types.filter(isArrayOf)
  if (elements.length === 0) return types
  const rows = await server.simple(
    `select t.oid::pg_catalog.int8, coalesce(nullif(t.typarray, 0::pg_catalog.oid), t.oid)::pg_catalog.int8 from pg_catalog.pg_type t
      where t.oid = any('{${elements.map((type) => -type).join(',')}}'::pg_catalog.oid[])`,
  )
  const arrays = new Map(rows.map(([element, array]) => [-Number(element), Number(array)]))
  return types.map((type) => arrays.get(type) ?? type)
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

function withAmbient(
  ids: TreeIds,
  { ambient, predicates, objects }: CatalogAnswer,
  casts: readonly number[],
): TreeIds {
  // Planning folds constants of indexes and constraints: only what somebody created can lie about being immutable.
  const folded = idsOf([...ambient, ...predicates]).objects
  return { ...ids, objects: [...new Set([...ids.objects, ...objects, ...folded, ...casts])] }
}

function fresh({ functions, types, sortOperators, objects }: TreeIds, seen: Set<number>): TreeIds {
  const unseen = (id: number): boolean => !seen.has(id)
  const left = { functions: functions.filter(unseen), types, sortOperators, objects: objects.filter(unseen) }
  for (const id of [...left.functions, ...left.objects]) seen.add(id)
  return left
}

interface Bodies {
  readonly bodies: readonly string[]
  /** Functions of somebody's own that are not known to be reads. */
  readonly others: readonly CatalogFunction[]
}

/** Query trees of the bodies of SQL functions that are understood as here. Throws for a function of the system that is not known to be a read. */
async function bodiesOf(at: Judgement, functions: readonly CatalogFunction[]): Promise<Bodies> {
  const bodies: string[] = []
  const others: CatalogFunction[] = []
  for (const one of functions) {
    if (one.id < FIRST_USER_ID && isDisguised(one)) throw notRead(one)
    if (givenTo(one)) continue
    if (one.defaults !== null) bodies.push(one.defaults)
    if (one.id < FIRST_USER_ID) {
      // Whoever owns the system may replace its functions: one in SQL, where it is called, becomes its body.
      const isReplaced = one.language !== 'internal' && one.language !== 'sql'
      if (isReplaced || !isSystemRead(one.name, one.volatility)) throw notRead(one)
      if (isOfInitdb(one)) bodies.push(...(await bodyFollowed(at, ofTexts(one))))
      else if (one.language === 'sql' && !hasCallsTypes(one)) bodies.push(...(await bodyFollowed(at, one)))
      continue
    }
    // A polymorphic one is followed once all of its calls are known.
    if (hasCallsTypes(one)) continue
    if (one.language === 'sql') bodies.push(...(await bodyFollowed(at, one)))
    else if (!isKnown(one)) others.push(one)
  }
  return { bodies, others }
}

/** The trees of a body; none when it has surroundings of its own, where it is followed at once. */
async function bodyFollowed(at: Judgement, one: CatalogFunction): Promise<readonly string[]> {
  if (isSame(withinBody(at, one), at.within)) return bodyTrees(at, one)
  await followBody(at, one)
  return []
}

/** Follows a body in its surroundings, once. */
async function followBody(at: Judgement, one: CatalogFunction): Promise<void> {
  const within = withinBody(at, one)
  const key = JSON.stringify(['body', one.id, one.argumentTypes, within])
  if (at.visited.has(key)) return
  at.visited.add(key)
  const inner = { ...at, within }
  await follow(inner, await bodyTrees(inner, one))
}

const withinBody = (at: Judgement, one: CatalogFunction): Surroundings =>
  surroundingsOf(at.within, one) ?? refuse(one)

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

/** Polymorphic functions of the system, whose bodies cast what they are given to text. */
const OF_ANY_TYPE = new Set([
  'select pg_catalog.quote_literal($1::pg_catalog.text)',
  'select pg_catalog.quote_nullable($1::pg_catalog.text)',
  'select $1 operator(pg_catalog.||) $2::pg_catalog.text',
  'select $1::pg_catalog.text operator(pg_catalog.||) $2',
  // Until PostgreSQL 13.
  'select $1 || $2::pg_catalog.text',
  'select $1::pg_catalog.text || $2',
])

const isOfInitdb = ({ id, language, source }: CatalogFunction): boolean =>
  id < FIRST_USER_ID && language === 'sql' && OF_ANY_TYPE.has(source)

/** The same for arguments that are texts: the other casts to text are followed where a tree names their types. */
const ofTexts = (one: CatalogFunction): CatalogFunction => ({
  ...one,
  argumentTypes: one.argumentTypes.map(() => TEXT),
})
const TEXT = 25

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
