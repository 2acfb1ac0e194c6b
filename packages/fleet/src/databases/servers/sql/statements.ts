import type { Secret } from '@fleet/kernel'

export interface NewDatabase {
  readonly database: string
  readonly test: string | null
  readonly user: string
  readonly password: Secret
}

/** Names of a database and, as they all begin, of its test databases. */
export interface Names {
  readonly database: string
  readonly test: string | null
}

/** A user beside the login of its database. */
export interface Shared {
  readonly database: string
  /** The login of the connection. */
  readonly owner: string
  readonly user: string
}

export interface Grant extends Shared {
  readonly password: Secret
  readonly isReadOnly: boolean
}

/**
 * What is said to a server. Names are identifiers of Fleet's own: lowercase letters, digits and underscores, and what a
 * request may name a user; but a database that is dropped may have any name. Passwords are in hex, so nothing of them is syntax.
 * All statements may be repeated.
 */
export interface Statements {
  /** Rows `database NAME` and `user NAME`: what exists of these names, and databases that begin with the test name. */
  taken(names: { readonly database: string; readonly test: string | null; readonly user: string }): string
  create(wanted: NewDatabase): string
  /** A row for each of the database and its test databases: `nameIn` reads its name. */
  databases(names: Names): string
  /** The name as it is: whoever logs in chooses how that of a test database goes on, with any characters. */
  nameIn(row: string): string
  /** Rows `grant USER` and `grant-test USER`: who keeps what it may there although the databases are gone. */
  granted(names: Names): string
  /** Takes it from them: the rows of `granted`. */
  revoke(names: Names, rows: readonly string[]): string
  drop(databases: readonly string[], user: string | null): string
  /** Rows that are statements: each ends what is connected to the database. */
  sessions(database: string): string
  /** Sets the password and replaces the privileges on this database. */
  grant(wanted: Grant): string
  /** The same without a password, for who may write by what an earlier version granted; undefined where that needs no change. */
  readonly share?: (wanted: Shared) => string
  /** Drops the user, with every database of its own but those of the others. */
  dropUser(user: string, others: readonly Names[]): string
}

export const isGrant = (row: string): boolean => /^grant(?:-test)? /.test(row)

export const hexOf = (secret: Secret): string => Buffer.from(secret.reveal(), 'utf8').toString('hex')
