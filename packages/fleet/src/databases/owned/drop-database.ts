import type { Call } from '#/call.ts'
import { residuesOf, usesUser } from '#/databases/owned/queries.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { listUsers } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type AdminDeps, databaseAdminOf } from '#/databases/servers/admin.ts'
import { isTestOf } from '#/databases/servers/names.ts'
import { databasesOf } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { statementsOf } from '#/databases/servers/sql/sql.ts'
import { isGrant } from '#/databases/servers/sql/statements.ts'

/**
 * Drops the database, every database whose name begins with that of its test database, and each user that no other connection on
 * the server uses (DBS-049), with what else that user has created there. What another record has is never dropped. May be repeated.
 * Answers the names of the databases that were there.
 */
export async function dropDatabase(
  deps: AdminDeps,
  call: Call,
  server: ServerRecord,
  row: ConnectionRecord,
): Promise<readonly string[]> {
  const { database_name: database, test_database: test, username } = row
  // What is there under these names is somebody else's: the server was not asked yet.
  if (database === null || row.pending_step === RESERVED) return []
  const created = (await listUsers(deps.store.db, row.id)).map((user) => user.username)
  return dropNames(deps, call, server, { id: row.id, database, test, username, created })
}

/** Names of what is dropped on a server. */
export interface Dropped {
  /** The connection that has them. */
  readonly id?: number
  /** What its record has become when it is gone. */
  readonly residue?: number
  readonly database: string
  readonly test: string | null
  readonly username: string | null
  /** Users who were created in the database. */
  readonly created: readonly string[]
}

/** The same of what a record had, once a copy that was begun there has ended. A user who stays may no longer reach it (DBS-045). */
export async function dropNames(
  deps: AdminDeps,
  call: Call,
  server: ServerRecord,
  { id, residue, database, test, username, created }: Dropped,
): Promise<readonly string[]> {
  const { db } = deps.store
  const admin = await databaseAdminOf(deps, call, server, { database, user: username ?? undefined })
  await admin.endCopy()
  const others = (await databasesOf(db, server.id)).filter((other) => other.id !== id)
  const isKept = (name: string): boolean =>
    others.some((other) => other.database_name === name || isTestOf(name, other.test_database))
  const taken = others.flatMap(({ database_name: name, test_database: test }) =>
    name === null ? [] : [{ database: name, test }],
  )
  const rows = await admin.run((sql) =>
    [sql.databases({ database, test }), sql.granted({ database, test })].join('\n'),
  )
  const { nameIn } = statementsOf(server.engine)
  const found = rows.filter((row) => !isGrant(row)).map(nameIn)
  // An owner cannot go before what it owns.
  const waiting = (await residuesOf(db, server.id)).filter((other) => other.id !== residue)
  const awaited = new Set(waiting.flatMap((other) => [other.username, ...other.created_users]))
  const users: string[] = []
  for (const user of new Set([...(username === null ? [] : [username]), ...created]))
    if (!awaited.has(user) && !(await usesUser(db, server.id, user, id))) users.push(user)
  const dropped = found.filter((name) => !isKept(name))
  await admin.runLast((sql) =>
    [
      sql.drop(dropped, null),
      ...(isKept(database) ? [] : [sql.revoke({ database, test }, rows.filter(isGrant))]),
      ...users.map((user) => sql.dropUser(user, taken)),
    ].join('\n'),
  )
  return dropped
}
