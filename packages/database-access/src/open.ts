import type { Clock, Ids } from '@fleet/kernel'
import type { DatabaseAccess, QueryResult, Request, Statement, TableColumns, Target } from './access.ts'
import { DatabaseFailure } from './failure.ts'
import { inspectMysql } from './mysql/inspect.ts'
import { queryMysql } from './mysql/query.ts'
import { inspectPostgres } from './postgres/inspect.ts'
import { queryPostgres } from './postgres/query.ts'
import { inspectSqlite, querySqlite } from './sqlite/query.ts'

export interface DatabaseParts {
  readonly clock: Clock
  readonly ids: Ids
}

/** Registered databases of every engine. It holds nothing open between two calls. */
export function openDatabases(parts: DatabaseParts): DatabaseAccess {
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
  }
}

function query(
  parts: DatabaseParts,
  target: Target,
  statement: Statement,
  request?: Request,
): Promise<QueryResult> {
  switch (target.engine) {
    case 'pgsql':
      return queryPostgres(parts.clock, target, statement, request)
    case 'mysql':
      return queryMysql(parts.clock, target, statement, request)
    case 'sqlite':
      return querySqlite(parts, target, statement, request)
  }
}

function inspect(parts: DatabaseParts, target: Target, request?: Request): Promise<readonly TableColumns[]> {
  if (target.engine === 'sqlite') return inspectSqlite(parts, target, request)
  return target.engine === 'pgsql'
    ? inspectPostgres(parts.clock, target, request)
    : inspectMysql(parts.clock, target, request)
}
