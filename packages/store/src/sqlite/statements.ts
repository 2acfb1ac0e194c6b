import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'

// Queries with lists of varying length make new texts without end; the oldest texts leave. A prepared statement takes about 200 bytes
// for each character of its text.
const CACHED_STATEMENTS = 500
const CACHED_CHARACTERS = 300_000

interface Prepared {
  readonly statement: StatementSync
  /** Names of the result's columns; none for a statement that returns no rows. */
  readonly columns: readonly string[]
}

/** One SQLite connection with its prepared statements. Everything runs at once and blocks. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()
  #characters = 0

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, columns } = this.#prepare(sql)
    const values = parameters as readonly SQLInputValue[] // as: kysely's parameters are unknown; SQLite itself refuses what it cannot bind.
    if (columns.length > 0) return { rows: statement.all(...values).map((row) => rowOf(columns, row) as R) } // as: kysely typed the row from the query.
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  /** Rows one by one. The statement is its own: a cached one would be reset by the next run of the same text. */
  *iterate<R>(sql: string, parameters: readonly unknown[]): Generator<R> {
    const values = parameters as readonly SQLInputValue[] // as: see run.
    const { statement, columns } = this.#compile(sql)
    for (const row of statement.iterate(...values)) yield rowOf(columns, row) as R // as: see run.
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
    const prepared = this.#compile(sql)
    this.#prepared.set(sql, prepared)
    this.#characters += sql.length
    for (const text of this.#prepared.keys()) {
      if (this.#prepared.size <= CACHED_STATEMENTS && this.#characters <= CACHED_CHARACTERS) break
      this.#prepared.delete(text)
      this.#characters -= text.length
    }
    return prepared
  }

  /** How many prepared statements are kept. */
  get size(): number {
    return this.#prepared.size
  }

  #compile(sql: string): Prepared {
    const statement = this.#database.prepare(sql)
    const columns = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true)
    return { statement, columns }
  }
}

/**
 * A plain object, so that rows compare like PostgreSQL's. Built from an array: copying SQLite's own objects, which have
 * no prototype, took four times as long in a list of 10,000 rows.
 */
function rowOf(columns: readonly string[], row: unknown): Record<string, unknown> {
  const values = row as readonly unknown[] // as: setReturnArrays makes every row one; its types do not know.
  const object: Record<string, unknown> = {}
  // An index costs half of what an iterator of entries does.
  for (let index = 0; index < columns.length; index += 1) object[columns[index] ?? ''] = values[index]
  return object
}
