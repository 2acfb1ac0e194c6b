import type { DatabaseEngine } from '@fleet/contract'
import { mysqlStatements } from '#/databases/servers/sql/mysql.ts'
import { pgsqlStatements } from '#/databases/servers/sql/pgsql.ts'
import type { Statements } from '#/databases/servers/sql/statements.ts'

export const statementsOf = (engine: DatabaseEngine): Statements =>
  engine === 'pgsql' ? pgsqlStatements : mysqlStatements
