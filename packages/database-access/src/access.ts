import type { Duplex } from 'node:stream'
import type { Secret } from '@fleet/kernel'

/** How a stream to a server is protected, in the words of libpq (`sslmode`). */
export interface TlsRule {
  readonly mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'
  /** Name or address that the certificate has to have for `verify-full`. */
  readonly host: string
  /** Certificates in PEM that sign the server's; else those that Node.js trusts. */
  readonly authority?: string
}

/** Where connections are kept ready for the statements after this one (decisions 0265 and 0289). */
export interface SparePlace {
  /** Whose connections they are: what `drop` closes together. */
  readonly owner: string
  /** Everything that a connection depends on, as text. A statement of another version never gets one of this. */
  readonly version: string
  /** The server, as far as its limit of connections goes. */
  readonly server: string
  /** As `open` of the target, for a stream that outlives the call. */
  readonly open: (signal: AbortSignal) => Promise<Duplex>
}

/** A MySQL, MariaDB or PostgreSQL database behind a byte stream. */
export interface ServerTarget {
  readonly engine: 'mysql' | 'pgsql'
  /**
   * Opens a new stream to the port of the server: a socket of the gateway or a forwarded channel of a Node. Called for
   * every read, and again for the connection that ends a statement whose time is over. The caller's streams are
   * destroyed after use. An error that it rejects with becomes `unreachable`.
   */
  readonly open: (signal: AbortSignal) => Promise<Duplex>
  /** When absent, TLS is used where the server offers it, and its certificate is not verified. */
  readonly tls?: TlsRule
  readonly username: string
  readonly password: Secret
  readonly database: string
  /** When absent, nothing stays open between two statements. */
  readonly spares?: SparePlace
}

/** A SQLite file on a Node. */
export interface FileTarget {
  readonly engine: 'sqlite'
  /** Absolute path on the Node. */
  readonly path: string
  /** Only redacted in results: SQLite itself takes none. */
  readonly password?: Secret
  /**
   * Runs `fleet node-sqlite` where the file is, with this text on standard input, and resolves with its standard output
   * (at most 8 MiB). The text has everything: token, path, SQL, limits. Rejects when the command could not run; it exits
   * with 0 also for a refused or failed statement.
   */
  readonly run: (input: string, signal: AbortSignal) => Promise<string>
}

export type Target = ServerTarget | FileTarget

export interface Request {
  /** Ends the statement, at the server too, when the client goes away. */
  readonly signal?: AbortSignal
  /** Time for everything, connecting included; 30 seconds when absent. The server gets a limit of its own. */
  readonly timeoutMilliseconds?: number
}

export interface Statement {
  /** One statement of 1 to 16,384 characters (DBS-008). */
  readonly sql: string
  /** False: only what is surely a read runs (decision 0147). True: whatever the login may do. */
  readonly write: boolean
}

/** A value as it goes into JSON: docs/reference of `database:query` says which type of the engine becomes what. */
export type Cell =
  | null
  | boolean
  | number
  | string
  | readonly Cell[]
  | { readonly base64: string }
  | { readonly [name: string]: Cell }

export interface QueryResult {
  /** Unique: a name that occurs again gets `_2`, `_3`, … */
  readonly columns: readonly string[]
  /** Keyed by column. At most 500, and at most 1 MiB of JSON together. */
  readonly rows: ReadonlyArray<Readonly<Record<string, Cell>>>
  /** For a read the number of rows; for a write the driver's count of affected rows. */
  readonly row_count: number
  /** Whether there were more rows than are here. */
  readonly truncated: boolean
}

/** A column as `database:describe` and `database:schema` show it. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly default: string | null
  readonly primary: boolean
}

export interface TableColumns {
  readonly name: string
  readonly columns: readonly Column[]
}

/** Reads and writes registered databases. Every method throws DatabaseFailure and nothing else. */
export interface DatabaseAccess extends AsyncDisposable {
  /** Runs one statement on a connection that is as after its login, and closes it unless nothing can be left in it. */
  query(target: Target, statement: Statement, request?: Request): Promise<QueryResult>
  /** Names of tables and views, sorted; those outside the default schema as `schema.table`. */
  tables(target: Target, request?: Request): Promise<readonly string[]>
  /** Columns of every table and view. */
  schema(target: Target, request?: Request): Promise<readonly TableColumns[]>
  /** Columns of one table. Throws `database.table_missing`. */
  describe(target: Target, table: string, request?: Request): Promise<TableColumns>
  /** Resolves when the login works, as registration may check it. */
  check(target: Target, request?: Request): Promise<void>
  /** Closes the connections that are kept ready for an owner (`SparePlace`): it has changed or is gone. */
  drop(owner: string): void
}
