import type { Clock, Ids } from '@fleet/kernel'
import type { DatabaseAccess, QueryResult, Request, Statement, TableColumns, Target } from './access.ts'
import { DatabaseFailure } from './failure.ts'
import { makeMysqlEngine, type MysqlEngine } from './mysql/engine.ts'
import { inspectMysql } from './mysql/inspect.ts'
import { queryMysql } from './mysql/query.ts'
import { makePostgresEngine, type PostgresEngine } from './postgres/engine.ts'
import { inspectPostgres } from './postgres/inspect.ts'
import { queryPostgres } from './postgres/query.ts'
import { inspectSqlite, querySqlite } from './sqlite/query.ts'

export interface DatabaseDeps {
  readonly clock: Clock
  readonly ids: Ids
}

/** Every engine, with the connections that it keeps ready. */
interface Engines extends DatabaseDeps {
  readonly postgres: PostgresEngine
  readonly mysql: MysqlEngine
}

/**
 * Registered databases of every engine. Between two calls it holds connections open where a target asks for that, and
 * nothing else; disposing of it closes them.
 */
export function openDatabases(given: DatabaseDeps): DatabaseAccess {
  const deps = { ...given, postgres: makePostgresEngine(given.clock), mysql: makeMysqlEngine(given.clock) }
  const spares = [deps.postgres.spares, deps.mysql.spares]
  const schema = (target: Target, request?: Request): Promise<readonly TableColumns[]> =>
    inspect(deps, target, request)
  return {
    query: (target, statement, request) => query(deps, target, statement, request),
    schema,
    tables: async (target, request) => (await schema(target, request)).map(({ name }) => name),
    describe: async (target, table, request) => {
      const found = await schema(target, request)
      const named =
        found.find(({ name }) => name === table) ?? found.find(({ name }) => isSame(target, name, table))
      if (named) return named
      throw new DatabaseFailure('database.table_missing', 'The database has no such table.', {
        reason: 'missing',
      })
    },
    check: async (target, request) => {
      await query(deps, target, { sql: 'select 1', write: false }, request)
    },
    drop: (owner) => {
      for (const each of spares) each.drop(owner)
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of spares) await each[Symbol.asyncDispose]()
    },
  }
}

/** Whether a name that a statement would take names a table: with its schema in front, and in SQLite in any case. */
function isSame(target: Target, name: string, given: string): boolean {
  if (target.engine === 'sqlite') return inSmall(name) === inSmall(given.replace(/^main\./i, ''))
  return given === `${target.engine === 'mysql' ? target.database : 'public'}.${name}`
}

/** SQLite compares names so, in ASCII alone. */
const inSmall = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

function query(deps: Engines, target: Target, statement: Statement, request?: Request): Promise<QueryResult> {
  switch (target.engine) {
    case 'pgsql':
      return queryPostgres(deps.postgres, target, statement, request)
    case 'mysql':
      return queryMysql(deps.mysql, target, statement, request)
    case 'sqlite':
      return querySqlite(deps, target, statement, request)
  }
}

function inspect(deps: Engines, target: Target, request?: Request): Promise<readonly TableColumns[]> {
  if (target.engine === 'sqlite') return inspectSqlite(deps, target, request)
  return target.engine === 'pgsql'
    ? inspectPostgres(deps.postgres, target, request)
    : inspectMysql(deps.mysql, target, request)
}
