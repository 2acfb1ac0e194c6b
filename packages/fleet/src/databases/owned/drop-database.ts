import type { Call } from '#/call.ts'
import { usesUser } from '#/databases/owned/queries.ts'
import { listUsers } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type AdminParts, databaseAdminOf } from '#/databases/servers/admin.ts'
import { databasesOf } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

/**
 * Drops the database, every database whose name begins with that of its test database, and each user that no other connection on
 * the server uses (DBS-049). What another record has is never dropped. May be repeated.
 */
export async function dropDatabase(
  parts: AdminParts,
  call: Call,
  server: ServerRecord,
  row: ConnectionRecord,
): Promise<void> {
  const { database_name: database, test_database: test, username } = row
  if (database === null) return
  const { db } = parts.store
  const admin = await databaseAdminOf(parts, call, server, { database, user: username ?? undefined })
  await admin.endCopy()
  const others = (await databasesOf(db, server.id)).filter(({ id }) => id !== row.id)
  const kept = new Set(others.flatMap((other) => [other.database_name, other.test_database]))
  const found = (await admin.run((sql) => sql.databases({ database, test }))).filter(
    (name) => !kept.has(name),
  )
  const created = (await listUsers(db, row.id)).map((user) => user.username)
  const users: string[] = []
  for (const user of new Set([...(username === null ? [] : [username]), ...created]))
    if (!(await usesUser(db, server.id, user, row.id))) users.push(user)
  await admin.runLast((sql) => [sql.drop(found, null), ...users.map((user) => sql.dropUser(user))].join('\n'))
}
