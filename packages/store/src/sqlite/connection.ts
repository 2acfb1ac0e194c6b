import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Durability, SqliteFile } from '#/sqlite/file.ts'
import type { Statements } from '#/sqlite/statements.ts'

/** What kysely takes for a connection: plain reads go to the reader, the rest waits for the writer. */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile
  readonly #durability: Durability
  #transaction: { readonly statements: Statements; readonly end: () => void } | undefined

  constructor(file: SqliteFile, durability: Durability) {
    this.#file = file
    this.#durability = durability
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#transaction) return this.#transaction.statements.run(query.sql, query.parameters)
    if (query.query.kind === 'SelectQueryNode') return this.#file.reader.run(query.sql, query.parameters)
    const end = await this.#file.turn.take()
    try {
      return this.#file.writer(this.#durability).run(query.sql, query.parameters)
    } finally {
      end()
      this.#file.checkpoints.committed()
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const statements = this.#transaction?.statements ?? this.#file.reader
    for (const row of statements.iterate<R>(query.sql, query.parameters)) yield { rows: [row] }
  }

  // Immediate: a transaction that reads first and writes later would fail when another process wrote between.
  async begin(): Promise<void> {
    const end = await this.#file.turn.take()
    try {
      const statements = this.#file.writer(this.#durability)
      statements.exec('begin immediate')
      this.#transaction = { statements, end }
    } catch (error) {
      end()
      throw error
    }
  }

  commit(): void {
    this.#transaction?.statements.exec('commit')
    this.#endTransaction()
    this.#file.checkpoints.committed()
  }

  /** Ends the transaction even when SQLite already rolled it back by itself, as it does on a full disk. */
  rollback(): void {
    try {
      this.#transaction?.statements.exec('rollback')
    } finally {
      this.#endTransaction()
    }
  }

  #endTransaction(): void {
    const end = this.#transaction?.end
    this.#transaction = undefined
    end?.()
  }
}
