import { writeRequired } from '#/statement.ts'
import { hidesArguments } from './arguments.ts'
import { catalogAnswer, catalogQuery, type CatalogAnswer, type CatalogFunction } from './catalog.ts'
import { ServerError } from './exchange.ts'
import { isExtensionRead, isSystemRead } from './functions.ts'
import { inlinedBody } from './sql-function.ts'
import { FIRST_USER_ID, idsOf, type TreeIds } from './tree.ts'
import type { PostgresSession } from './session.ts'

type Server = Pick<PostgresSession, 'simple' | 'analyze'>

/** Deeper nesting of functions, views and domains than this is not resolved. */
const MAX_ROUNDS = 24

/**
 * Follows everything that a statement would run: functions, operators, aggregates, casts and types of its query trees,
 * behind views, policies, domains and bodies of SQL functions. Throws `database.write_required` for the first that is
 * not known to be a read (decision 0148). `trees` are as the server printed them.
 */
export async function requireReads(server: Server, trees: readonly string[]): Promise<void> {
  const seen = new Set<number>()
  let ids = fresh(idsOf(trees), seen)
  if (!OPERATOR.test(trees.join(' ')) && ids.functions.length === 0 && ids.objects.length === 0) return
  let { types, sortOperators } = ids
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const answer = catalogAnswer(await server.simple(catalogQuery({ ...ids, types, sortOperators })))
    const [stranger] = answer.strangers
    if (stranger !== undefined) throw writeRequired(`the relation ${stranger}`)
    const bodies = await bodiesOf(server, answer.functions)
    const next = withAmbient(idsOf([...answer.trees, ...bodies]), answer)
    for (const id of answer.calls) seen.add(id)
    ids = fresh(next, seen)
    types = next.types
    sortOperators = next.sortOperators
    if (ids.functions.length === 0 && ids.objects.length === 0) return
  }
  throw writeRequired('names that lead too far')
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

/** Query trees of the bodies of SQL functions. Throws for a function that is not known to be a read. */
async function bodiesOf(server: Server, functions: readonly CatalogFunction[]): Promise<readonly string[]> {
  const bodies: string[] = []
  for (const one of functions) {
    if (one.id < FIRST_USER_ID) {
      if (!isSystemRead(one.name, one.volatility)) throw notRead(one)
      continue
    }
    if (one.defaults !== null) bodies.push(one.defaults)
    if (one.language === 'sql') bodies.push(...(await bodyTrees(server, one)))
    else if (!isKnown(one)) throw notRead(one)
  }
  return bodies
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

async function bodyTrees(server: Server, one: CatalogFunction): Promise<readonly string[]> {
  if (one.body !== null) return isPureTree(one.body) ? [one.body] : refuse(one)
  const text = one.isConfigured ? undefined : await inlinedBody(one)
  if (text === undefined) return refuse(one)
  const trees = await treesOf(server, text, one)
  if (text === one.source || !hidesArguments(trees, one.argumentNames ?? [])) return trees
  // Without parameters it is understood only if no name in it is an argument's.
  return treesOf(server, one.source, one)
}

async function treesOf(server: Server, text: string, one: CatalogFunction): Promise<readonly string[]> {
  try {
    const trees = await server.analyze(text, one.argumentTypes)
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
