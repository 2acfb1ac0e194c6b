import assert from 'node:assert/strict'
import { CodedError } from '@fleet/kernel'
import type { DialectName } from '@fleet/store'
import { sampleShare } from './sample.ts'
import { forEachDialect } from './store.ts'

const ROUNDS = 200
/** Of what takes its turns under a lock, which costs more: all of them in a whole run. */
export const LOCKED_ROUNDS = ROUNDS / sampleShare(8)
/** Of what reads and writes a dozen times under its lock: on PostgreSQL that is 20,000 statements one after the other in a whole run. */
export const SLOW_ROUNDS = Math.ceil(ROUNDS / sampleShare(16))
export const CALLERS = 8

export interface Made {
  readonly created?: boolean | undefined
  readonly data: unknown
}

export interface RaceWorld extends AsyncDisposable {
  /** Asks for the record of this round. */
  create(round: number): Promise<Made>
}

export interface Racing {
  readonly rounds?: number
  /** With which a family may refuse a second caller at once; that one finds the record later. */
  readonly busy?: string
  /** Ids of requirements, in brackets. */
  readonly rows?: string
}

/** A test, in both databases, that identical creations at one moment make one record that everybody is answered with. */
export const raceOf = (
  kind: string,
  start: (dialect: DialectName) => Promise<RaceWorld>,
  { rounds = ROUNDS, busy, rows }: Racing = {},
): void =>
  forEachDialect(
    `identical creations of ${kind} at one moment are one creation${rows === undefined ? '' : ` ${rows}`}`,
    async (dialect) => {
      await using world = await start(dialect)
      for (let round = 0; round < rounds; round += 1) await raceOnce(world, round, busy)
    },
  )

async function raceOnce(world: RaceWorld, round: number, busy: string | undefined): Promise<void> {
  const all = await Promise.allSettled(Array.from({ length: CALLERS }, () => world.create(round)))
  for (const one of all) if (one.status === 'rejected' && codeOf(one.reason) !== busy) throw one.reason
  const made = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  assert.equal(made.filter(({ created }) => created).length, 1, `round ${round}`)
  const later = await world.create(round)
  assert.ok(!later.created, `round ${round}`)
  for (const { data } of made) assert.deepEqual(data, later.data)
}

export const codeOf = (reason: unknown): string | undefined =>
  reason instanceof CodedError ? reason.code : undefined

/** How many rounds of different creations at one moment a test makes. */
export const MIXED_ROUNDS = Math.ceil(LOCKED_ROUNDS / 5)

/** Names of what one round creates at one moment. */
export const namesOf = (round: number): readonly string[] =>
  Array.from({ length: CALLERS }, (_, index) => `n-${round}-${index}`)
