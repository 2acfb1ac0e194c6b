import type { DialectName } from '@fleet/store'

/** What a test run may set. */
export interface TestEnv {
  /** A PostgreSQL server on which tests may make and drop databases. */
  readonly databaseUrl: string | undefined
  /** Where tests that name no dialect keep their store. */
  readonly dialect: DialectName
}

export function readTestEnv(): TestEnv {
  // A gateway's own setting counts too: with it set, the whole suite runs where that gateway would.
  const gatewayUrl = process.env['FLEET_DATABASE_URL'] || undefined
  const databaseUrl = process.env['FLEET_TEST_DATABASE_URL'] || gatewayUrl
  const wanted = process.env['FLEET_TEST_DIALECT'] || (gatewayUrl ? 'postgres' : 'sqlite')
  if (wanted !== 'sqlite' && wanted !== 'postgres') {
    throw new Error('FLEET_TEST_DIALECT must be sqlite or postgres')
  }
  if (wanted === 'postgres' && databaseUrl === undefined) {
    throw new Error('FLEET_TEST_DIALECT=postgres needs FLEET_TEST_DATABASE_URL')
  }
  return { databaseUrl, dialect: wanted }
}
