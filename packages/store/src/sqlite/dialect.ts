import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { SqliteConnection } from '#/sqlite/connection.ts'
import type { Durability, SqliteFile } from '#/sqlite/file.ts'

/** Kysely's SQLite over node:sqlite. The file belongs to the caller, who closes it. */
export const sqliteDialect = (file: SqliteFile, durability: Durability): Dialect => ({
  createDriver: () => new NodeSqliteDriver(file, durability),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new NodeSqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
})

class NodeSqliteAdapter extends SqliteAdapter {
  // The connection orders writers itself, which lets reads pass an open transaction.
  override get supportsMultipleConnections(): boolean {
    return true
  }
  // Migrations run in one immediate transaction: all of them or none, and never two processes at once.
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class NodeSqliteDriver implements Driver {
  readonly #open: () => SqliteConnection
  // Used again: kysely notes every new connection, and a query would cost one each.
  readonly #free: SqliteConnection[] = []

  constructor(file: SqliteFile, durability: Durability) {
    this.#open = () => new SqliteConnection(file, durability)
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#free.pop() ?? this.#open()
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).begin()
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    own(connection).commit()
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    own(connection).rollback()
  }
  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint "${name}"`))
  }
  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to "${name}"`))
  }
  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release "${name}"`))
  }
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#free.push(own(connection))
  }
  async destroy(): Promise<void> {}
}

const own = (connection: DatabaseConnection): SqliteConnection => {
  if (connection instanceof SqliteConnection) return connection
  throw new TypeError('a connection of another driver')
}
