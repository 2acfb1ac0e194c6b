import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import { type Asked, asking } from './postgres-asked.ts'
import { provesHandedOn } from './postgres-handed-on.ts'
import { POSTGRES_PROOFS } from './postgres-proofs.ts'
import { POSTGRES_RESULTS, postgresRows } from './postgres-results.ts'
import type { PostgresWorld } from './postgres-world.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from './run-corpus.ts'

/** A PostgreSQL to be tested. */
export interface PostgresProduct {
  readonly product: string
  /** Why none can be had. */
  readonly missing?: string | undefined
  readonly version: number
  start(): Promise<PostgresWorld>
  /** The names of the tests that cite requirements. */
  readonly rows: Readonly<Record<keyof typeof postgresRows, string>>
}

/** The tests of a PostgreSQL, which are the same for every version. */
export function testPostgres({ product, missing, version, start, rows }: PostgresProduct): void {
  describe(product, { skip: missing ?? false }, () => {
    let world: PostgresWorld
    let asked: Asked
    before(async () => {
      world = await start()
      asked = asking(world)
    })
    after(() => world[Symbol.asyncDispose]())
    test('it is the server that is meant', () => assert.equal(world.version, version))

    for (const part of parts) {
      test(`every trick of the corpus is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
        provesRefusals('postgres', world, part))
      test(`every honest read of the corpus answers: part ${part + 1}`, () =>
        provesAnswers('postgres', world, part))
      test(`a connection that a read of the corpus hands on is as after a login: part ${part + 1}`, () =>
        provesHandedOn(world, part))
    }
    test('tricks and reads of parallel callers in any order end as alone', () =>
      provesShuffled('postgres', world, testSeed()))
    const named = Object.entries(rows).map(([key, name]) => [name, Object(postgresRows)[key]] as const)
    for (const [name, proof] of [...named, ...Object.entries({ ...POSTGRES_PROOFS, ...POSTGRES_RESULTS })])
      test(name, () => proof(asked))
  })
}
