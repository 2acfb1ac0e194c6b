import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DialectName } from '@fleet/store'
import { Client } from 'pg'
import { readTestEnv } from './env.ts'

/** An empty database for one test, as openStore takes it. */
export interface TestDatabase extends AsyncDisposable {
  readonly dialect: DialectName
  /** The SQLite file or the `postgres://` address. */
  readonly location: { readonly file: string } | { readonly url: string }
}

/** Already migrated by startPostgres: copying it takes half the time of migrating. */
export const TEMPLATE_DATABASE = 'fleet_template'

/** A database that nobody else uses, by default on the dialect of this test run. `empty` keeps PostgreSQL from copying the migrated template. Disposal removes it. */
export function makeTestDatabase(
  dialect: DialectName = readTestEnv().dialect,
  content: 'migrated' | 'empty' = 'migrated',
): Promise<TestDatabase> {
  return dialect === 'sqlite' ? makeFile() : makeDatabase(content)
}

/** The address of another database on the same server. */
export const databaseUrl = (server: string, name: string): string => {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const makeFile = async (): Promise<TestDatabase> => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-store-'))
  return {
    dialect: 'sqlite',
    location: { file: join(directory, 'gateway.sqlite') },
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

const makeDatabase = async (content: 'migrated' | 'empty'): Promise<TestDatabase> => {
  const server = readTestEnv().databaseUrl
  if (server === undefined) throw new Error('FLEET_TEST_DATABASE_URL is not set')
  const name = `fleet_test_${randomBytes(8).toString('hex')}`
  await onServer(server, async (client) => {
    const template = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE_DATABASE])
    const from = content === 'empty' || template.rowCount === 0 ? 'template1' : TEMPLATE_DATABASE
    // A copy of files: the default writes every page to the log, which costs more on an idle server.
    await client.query(`create database ${name} template ${from} strategy file_copy`)
  })
  return {
    dialect: 'postgres',
    location: { url: databaseUrl(server, name) },
    [Symbol.asyncDispose]: () =>
      onServer(server, (client) => client.query(`drop database ${name} with (force)`)),
  }
}

/** Runs work on one connection to the server. */
export async function onServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
