import type { Call } from '#/call.ts'
import { usesUser } from '#/databases/owned/queries.ts'
import { listUsers } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type AdminDeps, type DatabaseAdmin, databaseAdminOf } from '#/databases/servers/admin.ts'
import { databasesOf } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

/**
 * Drops the database, every database whose name begins with that of its test database, and each user that no other connection on
 * the server uses (DBS-049). What another record has is never dropped. May be repeated.
 */
export async function dropDatabase(
  deps: AdminDeps,
  call: Call,
  server: ServerRecord,
  row: ConnectionRecord,
): Promise<void> {
  const { database_name: database, test_database: test, username } = row
  if (database === null) return
  const { db } = deps.store
  const { admin, found } = await whatToDrop(deps, call, server, { id: row.id, database, test, username })
  const created = (await listUsers(db, row.id)).map((user) => user.username)
  const users: string[] = []
  for (const user of new Set([...(username === null ? [] : [username]), ...created]))
    if (!(await usesUser(db, server.id, user, row.id))) users.push(user)
  await admin.runLast((sql) => [sql.drop(found, null), ...users.map((user) => sql.dropUser(user))].join('\n'))
}

/** Names of what is dropped on a server. */
export interface Dropped {
  /** The connection that has them; undefined when its record is gone. */
  readonly id?: number
  readonly database: string
  readonly test: string | null
  readonly username: string | null
}

/** The databases of the names that are on the server and that no other record has, once a copy that was begun there has ended. */
export async function whatToDrop(
  deps: AdminDeps,
  call: Call,
  server: ServerRecord,
  { id, database, test, username }: Dropped,
): Promise<{ readonly admin: DatabaseAdmin; readonly found: readonly string[] }> {
  const admin = await databaseAdminOf(deps, call, server, { database, user: username ?? undefined })
  await admin.endCopy()
  const others = (await databasesOf(deps.store.db, server.id)).filter((other) => other.id !== id)
  const kept = new Set(others.flatMap((other) => [other.database_name, other.test_database]))
  const found = await admin.run((sql) => sql.databases({ database, test }))
  return { admin, found: found.filter((name) => !kept.has(name)) }
}
