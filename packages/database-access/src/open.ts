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

export interface DatabaseParts {
  readonly clock: Clock
  readonly ids: Ids
}

/** Every engine, with the connections that it keeps ready. */
interface Engines extends DatabaseParts {
  readonly postgres: PostgresEngine
  readonly mysql: MysqlEngine
}

/**
 * Registered databases of every engine. Between two calls it holds connections open where a target asks for that, and
 * nothing else; disposing of it closes them.
 */
export function openDatabases(given: DatabaseParts): DatabaseAccess {
  const parts = { ...given, postgres: makePostgresEngine(given.clock), mysql: makeMysqlEngine(given.clock) }
  const spares = [parts.postgres.spares, parts.mysql.spares]
  const schema = (target: Target, request?: Request): Promise<readonly TableColumns[]> =>
    inspect(parts, target, request)
  return {
    query: (target, statement, request) => query(parts, target, statement, request),
    schema,
    tables: async (target, request) => (await schema(target, request)).map(({ name }) => name),
    describe: async (target, table, request) => {
      const found = (await schema(target, request)).find(({ name }) => name === table)
      if (found) return found
      throw new DatabaseFailure('database.table_missing', 'The database has no such table.', {
        reason: 'missing',
      })
    },
    check: async (target, request) => {
      await query(parts, target, { sql: 'select 1', write: false }, request)
    },
    drop: (owner) => {
      for (const each of spares) each.drop(owner)
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of spares) await each[Symbol.asyncDispose]()
    },
  }
}

function query(
  parts: Engines,
  target: Target,
  statement: Statement,
  request?: Request,
): Promise<QueryResult> {
  switch (target.engine) {
    case 'pgsql':
      return queryPostgres(parts.postgres, target, statement, request)
    case 'mysql':
      return queryMysql(parts.mysql, target, statement, request)
    case 'sqlite':
      return querySqlite(parts, target, statement, request)
  }
}

function inspect(parts: Engines, target: Target, request?: Request): Promise<readonly TableColumns[]> {
  if (target.engine === 'sqlite') return inspectSqlite(parts, target, request)
  return target.engine === 'pgsql'
    ? inspectPostgres(parts.postgres, target, request)
    : inspectMysql(parts.mysql, target, request)
}
