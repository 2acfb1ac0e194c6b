import assert from 'node:assert/strict'
import type { DatabaseAccess, Target } from '@fleet/database-access'
import { systemClock } from '@fleet/kernel'
import { corpusOf, type CorpusName, outcome, type Row } from './corpus.ts'

/** What a corpus runs against. */
export interface CorpusWorld {
  readonly databases: DatabaseAccess
  readonly target: Target
  /** Of the server, where the corpora have marks for it. */
  readonly version?: number
  fingerprint(): string | Promise<string>
}

const CALLERS = 8
const TIMEOUT_MILLISECONDS = 60_000
const REFUSED = /^database\.(write_required|sql_multiple_statements) refused$/

/** A corpus is run in parts, which together are the whole of it: a test has a minute. */
const PARTS = 3
export const parts: readonly number[] = Array.from({ length: PARTS }, (_, at) => at)

export const partOf = (rows: readonly Row[], part: number): readonly Row[] =>
  rows.filter((_, at) => at % PARTS === part)

/** Each trick of a part is refused with its code, one after the other, and nothing has changed afterwards. */
export async function provesRefusals(name: CorpusName, world: CorpusWorld, part: number): Promise<void> {
  const before = await world.fingerprint()
  const rows = corpusOf(name, 'tricks', world.version)
  assert.ok(rows.length >= 150, `${rows.length} tricks`)
  const wrong: string[] = []
  for (const row of partOf(rows, part)) wrong.push(...wrongRefusal(row, await resultOf(world, row)))
  assert.deepEqual(wrong, [])
  await requireSame(world, before)
}

/** Each honest read of a part answers, and nothing has changed afterwards. */
export async function provesAnswers(name: CorpusName, world: CorpusWorld, part: number): Promise<void> {
  const before = await world.fingerprint()
  const rows = corpusOf(name, 'reads', world.version)
  assert.ok(rows.length >= 100, `${rows.length} reads`)
  const wrong: string[] = []
  for (const row of partOf(rows, part)) wrong.push(...wrongAnswer(row, await resultOf(world, row)))
  assert.deepEqual(wrong, [])
  await requireSame(world, before)
}

/** A third of both corpora in an order that follows from a seed, by several callers at once: the same as alone. */
export async function provesShuffled(name: CorpusName, world: CorpusWorld, seed: number): Promise<void> {
  const before = await world.fingerprint()
  const tricks = corpusOf(name, 'tricks', world.version).map((row) => ({ row, wrong: wrongRefusal }))
  const reads = corpusOf(name, 'reads', world.version).map((row) => ({ row, wrong: wrongAnswer }))
  const queue = shuffled([...tricks, ...reads], seed)
  queue.length = Math.ceil(queue.length / 3)
  const wrong: string[] = []
  const caller = async (): Promise<void> => {
    for (let next = queue.pop(); next; next = queue.pop())
      wrong.push(...next.wrong(next.row, await resultOf(world, next.row)))
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  assert.deepEqual(wrong, [])
  await requireSame(world, before)
}

const resultOf = ({ databases, target }: CorpusWorld, { statement }: Row): Promise<string> =>
  outcome(() =>
    databases.query(
      keeping(target),
      { sql: statement, write: false },
      { timeoutMilliseconds: TIMEOUT_MILLISECONDS },
    ),
  )

const OWNER = 'corpus'
const SETTLING_TRIES = 20
const SETTLING_MILLISECONDS = 100

/** As a gateway asks: with connections that are kept for the next statement. */
export const keeping = (target: Target): Target =>
  target.engine === 'sqlite'
    ? target
    : { ...target, spares: { owner: OWNER, version: '1', server: 'here', open: target.open } }

/**
 * Without the connections that are kept, which are sessions of the server: one that was just being opened takes a moment to come and
 * go there. A difference is shown by its line.
 */
async function requireSame({ databases, fingerprint }: CorpusWorld, before: string): Promise<void> {
  databases.drop(OWNER)
  let after = await fingerprint()
  for (let tries = 0; after !== before && tries < SETTLING_TRIES; tries += 1) {
    await systemClock.sleep(SETTLING_MILLISECONDS)
    after = await fingerprint()
  }
  assert.deepEqual(after.split('\n'), before.split('\n'))
}

function wrongRefusal({ statement, isUnknown }: Row, result: string): readonly string[] {
  const isRight = REFUSED.test(result) || (isUnknown && result.startsWith('database.query_failed statement '))
  return isRight ? [] : [`${statement} → ${result}`]
}

const wrongAnswer = ({ statement, isUnknown }: Row, result: string): readonly string[] => {
  const isRight = isUnknown ? result.startsWith('database.query_failed statement ') : result === 'answered'
  return isRight ? [] : [`${statement} → ${result}`]
}

/** Fisher and Yates with a generator of its own, so that a seed names an order. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items]
  let state = seed * 2_654_435_761 + 1
  for (let last = result.length - 1; last > 0; last -= 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const other = Math.floor((state / 2 ** 32) * (last + 1))
    const [a, b] = [result[last], result[other]]
    if (a !== undefined && b !== undefined) {
      result[last] = b
      result[other] = a
    }
  }
  return result
}
