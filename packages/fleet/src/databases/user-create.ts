import { fail } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { requireConnection } from '#/databases/locators.ts'
import { putUser, unsharedUsers, usesUser, WRITES } from '#/databases/owned/queries.ts'
import { shareDatabases } from '#/databases/owned/share.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { presentUser } from '#/databases/present.ts'
import { listUsers } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { databaseAdminOf, inactive, requireActive } from '#/databases/servers/admin.ts'
import { roleFor } from '#/databases/servers/names.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'

/** Creates a user in a database on a server of the fleet, or replaces its password and privileges (DBS-016 to DBS-018). */
export const makeUserCreate =
  (deps: OwnedDeps): Handler<'database:user:create'> =>
  async ({ call, input, found }) => {
    const { db } = deps.store
    const seen = await requireConnection(deps.store, input.slug, found)
    const server = seen.server_id === null ? undefined : await serverById(db, seen.server_id)
    if (!server) throw fail('database.server_required')
    requireActive(server)
    // What the user has elsewhere would go with the membership that this request ends.
    const unshared = await unsharedUsers(db, { serverId: server.id, username: input.username })
    await shareDatabases(deps, call, unshared)
    return holding(deps.store, call, lockOf('database', seen.slug), async () => {
      const record = await requireConnection(deps.store, input.slug, undefined)
      const { database_name: database, username: owner } = record
      if (record.pending_step !== null || database === null || owner === null) throw inactive(server)
      const { username: user, read_only: isReadOnly = false } = input
      await refuseLogin(deps, record, user)
      const isNew = !(await listUsers(db, record.id)).some((each) => each.username === user)
      const admin = await databaseAdminOf(deps, call, server, { database, user })
      const password = new Secret(input.password)
      await admin.run((sql) => sql.grant({ database, owner, user, password, isReadOnly }))
      const row = await putUser(db, {
        database_connection_id: record.id,
        username: user,
        privileges: `${isReadOnly ? 'SELECT' : WRITES} on ${database}`,
        created_by: call.caller?.name ?? null,
        created_at: deps.clock.now().toISOString(),
        role: isReadOnly ? null : roleFor(server.engine, database),
      })
      return { data: presentUser(row), created: isNew }
    })
  }

/** The login of a connection is not changed under it; root is nobody's. */
async function refuseLogin(
  { store: { db } }: OwnedDeps,
  { id, server_id, username }: ConnectionRecord,
  user: string,
): Promise<void> {
  const isLogin = user === username || RESERVED.has(user.toLowerCase())
  if (isLogin || (server_id !== null && (await usesUser(db, server_id, user, id, 'logins'))))
    throw fail('database.name_conflict', { details: { username: user } })
}

const RESERVED: ReadonlySet<string> = new Set([
  'root',
  'postgres',
  'public',
  'none',
  'mysql',
  'mariadb_sys',
  'healthcheck',
])
