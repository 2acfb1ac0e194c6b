import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'

// Queries with lists of varying length make new texts without end; the oldest texts leave.
const CACHED_STATEMENTS = 500

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** One SQLite connection with its prepared statements. Everything runs at once and blocks. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, returnsRows } = this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[] // as: kysely's parameters are unknown; SQLite itself refuses what it cannot bind.
    if (returnsRows) return { rows: statement.all(...values).map((row) => ({ ...row }) as R) } // as: kysely typed the row from the query. Copied so that rows compare like PostgreSQL's: SQLite's have no prototype.
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Rows one by one. The statement is its own: a cached one would be reset by the next run of the same text. */
  *iterate<R>(sql: string, parameters: readonly unknown[]): Generator<R> {
    const values = parameters as readonly SQLInputValue[] // as: see run.
    for (const row of this.#database.prepare(sql).iterate(...values)) yield { ...row } as R // as: see run.
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    const oldest = this.#prepared.size >= CACHED_STATEMENTS ? this.#prepared.keys().next().value : undefined
    if (oldest !== undefined) this.#prepared.delete(oldest)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
