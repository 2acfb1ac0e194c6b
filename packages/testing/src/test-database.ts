import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DialectName } from '@fleet/store'
import { readTestEnv } from './env.ts'
import { migratedFile } from './migrated-file.ts'
import { PostgresDatabases } from './postgres-databases.ts'

/** A database for one test, as openStore takes it. */
export interface TestDatabase extends AsyncDisposable {
  readonly dialect: DialectName
  /** The SQLite file or the `postgres://` address. */
  readonly location: { readonly file: string } | { readonly url: string }
}

/**
 * A database without rows that nobody else uses, by default on the dialect of this test run. Disposal removes it, or
 * empties it for another test: one that changes the schema itself asks for `empty`, without tables and never used again.
 */
export function makeTestDatabase(
  dialect: DialectName = readTestEnv().dialect,
  content: 'migrated' | 'empty' = 'migrated',
): Promise<TestDatabase> {
  return dialect === 'sqlite' ? makeFile(content) : makeDatabase(content)
}

const makeFile = async (content: 'migrated' | 'empty'): Promise<TestDatabase> => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-store-'))
  const file = join(directory, 'gateway.sqlite')
  if (content === 'migrated') writeFileSync(file, await migratedFile(), { mode: 0o600 })
  return {
    dialect: 'sqlite',
    location: { file },
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

const makeDatabase = async (content: 'migrated' | 'empty'): Promise<TestDatabase> => {
  const server = readTestEnv().databaseUrl
  if (server === undefined) throw new Error('FLEET_TEST_DATABASE_URL is not set')
  // One for each server that this process meets.
  const databases = servers.getOrInsertComputed(server, () => new PostgresDatabases(server))
  const { url, giveBack } = await (content === 'empty' ? databases.createEmpty() : databases.take())
  return { dialect: 'postgres', location: { url }, [Symbol.asyncDispose]: giveBack }
}

const servers = new Map<string, PostgresDatabases>()
