import assert from 'node:assert/strict'
import { DatabaseFailure } from '@fleet/database-access'
import type { PostgresWorld } from './postgres-world.ts'

/** What the tests of a PostgreSQL do with it. */
export interface Asked {
  readonly world: PostgresWorld
  rows(sql: string, write?: boolean): Promise<readonly unknown[]>
  /** The values of the first row. */
  cells(sql: string): Promise<readonly unknown[]>
  failureOf(sql: string, write?: boolean): Promise<DatabaseFailure>
  /** Active sessions of ours, whose statement fits a pattern if one is given. */
  sessions(statement?: string): Promise<number>
}

/** A test, which says nothing of the version of the server. */
export type PostgresProof = (asked: Asked) => Promise<void>

export function asking(world: PostgresWorld): Asked {
  const rows: Asked['rows'] = async (sql, write = false) =>
    (await world.databases.query(world.target, { sql, write })).rows
  return {
    world,
    rows,
    cells: async (sql) => Object.values(Object((await rows(sql))[0])),
    failureOf: async (sql, write) => {
      const error: unknown = await rows(sql, write).catch((thrown: unknown) => thrown)
      assert.ok(error instanceof DatabaseFailure)
      return error
    },
    sessions: async (statement = '%') => {
      const { rows: found } = await world.admin.query<{ n: number }>(ACTIVE, [statement])
      return found[0]?.n ?? -1
    },
  }
}

const ACTIVE = `select count(*)::int as n from pg_stat_activity where application_name = 'fleet' and state = 'active'
  and query like $1 and query not like '%pg_terminate%' and query not like '%pg_stat_activity%'`
