import type { Call } from '#/call.ts'
import { connectionById, setRoleOfUser, type UnsharedUser } from '#/databases/owned/queries.ts'
import { type AdminDeps, databaseAdminOf } from '#/databases/servers/admin.ts'
import { roleOf } from '#/databases/servers/names.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { Store } from '@fleet/store'
import { holding, lockOf } from '#/locks/api.ts'

interface ShareDeps extends AdminDeps {
  readonly store: Store
}

/**
 * Lets users of an earlier version write in their databases alone (decision 0315). Throws the codes of `DatabaseAdmin` and
 * `database.operation_busy`.
 */
export async function shareDatabases(
  deps: ShareDeps,
  call: Call,
  users: readonly UnsharedUser[],
  given: { readonly waitSeconds?: number } = {},
): Promise<void> {
  for (const user of users)
    await holding(deps.store, call, lockOf('database', user.slug, given), () =>
      shareDatabase(deps, call, user),
    )
}

async function shareDatabase(
  deps: ShareDeps,
  call: Call,
  { id, username: user, connectionId, server_id }: UnsharedUser,
): Promise<void> {
  const { db } = deps.store
  const server = await serverById(db, server_id)
  const record = await connectionById(db, connectionId)
  const { database_name: database = null, username: owner = null, pending_step = null } = record ?? {}
  // It is being removed, and its users with it.
  if (!server || database === null || owner === null || pending_step !== null) return
  const admin = await databaseAdminOf(deps, call, server, { database, user })
  await admin.run((sql) => sql.share?.({ database, owner, user }) ?? '')
  await setRoleOfUser(db, id, roleOf(database))
}
