import { test, type TestContext } from 'node:test'
import { type Clock, type Ids, Secret, systemClock, systemIds } from '@fleet/kernel'
import { type DialectName, openStore, type Store } from '@fleet/store'
import { readTestEnv } from './env.ts'
import { makeTestDatabase, type TestDatabase } from './test-database.ts'

/** The application key of every test store. */
export const TEST_APP_KEY = new Secret(`base64:${Buffer.alloc(32, 7).toString('base64')}`)
export const TEST_GATEWAY_ID = 'test-gateway'

export interface TestStoreOptions {
  /** The dialect of this test run by default: SQLite, or what FLEET_TEST_DIALECT says. */
  readonly dialect?: DialectName
  readonly clock?: Clock
  readonly ids?: Ids
  /** A database the test made itself, to be opened again or by a second gateway. Disposal leaves it in place. */
  readonly database?: TestDatabase
  readonly gatewayId?: string
  readonly key?: Secret
}

/** A store of its own for one test. `await using` closes and removes it. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const database = options.database ?? (await makeTestDatabase(options.dialect))
  const removeOwn = async (): Promise<void> => {
    if (!options.database) await database[Symbol.asyncDispose]()
  }
  try {
    const store = await openStore({
      ...database.location,
      key: options.key ?? TEST_APP_KEY,
      clock: options.clock ?? systemClock,
      ids: options.ids ?? systemIds,
      gatewayId: options.gatewayId ?? TEST_GATEWAY_ID,
    })
    const dispose = async (): Promise<void> => {
      await store[Symbol.asyncDispose]()
      await removeOwn()
    }
    return { ...store, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await removeOwn()
    throw error
  }
}

type DialectTest = (dialect: DialectName, context: TestContext) => Promise<void>

/**
 * Registers the test once per dialect: on SQLite, and on PostgreSQL when FLEET_TEST_DATABASE_URL names a server.
 * A list in between limits it to dialects that the statement is about.
 */
export function forEachDialect(
  name: string,
  ...rest: [DialectTest] | [readonly DialectName[], DialectTest]
): void {
  const [only, body] = rest.length === 1 ? [DIALECTS, rest[0]] : rest
  const hasServer = readTestEnv().databaseUrl !== undefined
  for (const dialect of only) {
    if (dialect === 'sqlite' || hasServer) test(`${dialect}: ${name}`, (context) => body(dialect, context))
  }
}

const DIALECTS: readonly DialectName[] = ['sqlite', 'postgres']
