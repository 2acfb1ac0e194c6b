import { fail, type InputOf } from '@fleet/contract'
import { CodedError, Secret } from '@fleet/kernel'
import type { Database, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { requireConnection } from '#/databases/locators.ts'
import { isRemoval } from '#/databases/owned/pending.ts'
import {
  connectionsWithUser,
  deleteUser,
  putUser,
  residuesOf,
  unsharedUsers,
  usesUser,
  WRITES,
} from '#/databases/owned/queries.ts'
import { shareDatabases } from '#/databases/owned/share.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { presentUser } from '#/databases/present.ts'
import { listUsers, lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord, DatabaseUserRecord } from '#/databases/record.ts'
import { type DatabaseAdmin, databaseAdminOf, inactive, requireActive } from '#/databases/servers/admin.ts'
import { isKept, roleFor } from '#/databases/servers/names.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'

type Input = InputOf<'database:user:create'>

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
    const isNew = await holding(deps.store, call, lockOf('databaseServer', server.slug), () =>
      recorded(deps, call, server, input),
    )
    const row = await granted({ deps, call, server, input }, seen, isNew)
    return { data: presentUser(row), created: isNew }
  }

interface Work {
  readonly deps: OwnedDeps
  readonly call: Call
  readonly server: ServerRecord
  readonly input: Input
}

/**
 * Stores a new user before the server has it: whatever happens then, it goes with its database. Under the lock of the server, so that no
 * new database logs in with the name. The databases that have a user of the name are locked too: a removal that drops it has begun, and is
 * waited for, or finds the new one. Answers whether it is new.
 */
const recorded = (deps: OwnedDeps, call: Call, server: ServerRecord, input: Input): Promise<boolean> =>
  deps.store.transaction(async (db) => {
    const { id, slug } = await requireConnection({ db }, input.slug, undefined)
    const locked = new Map<number, ConnectionRecord>()
    for (const other of await inOrder(db, server.id, { id, slug, username: input.username })) {
      const row = await lockConnection(db, other)
      if (row) locked.set(other, row)
    }
    const own = locked.get(id)
    if (!own) throw fail('database.not_found')
    const record = completeOrRefuse(own, server)
    await refuseLogin(db, server, record, input.username)
    const isNew = !(await listUsers(db, record.id)).some((each) => each.username === input.username)
    const leaving = [...locked.values()].find(({ pending_step: step }) => isRemoval(step))
    if (isNew && leaving) throw leavingWith(leaving, input.username)
    if (isNew) await putUser(db, rowOf({ deps, call, server, input }, record))
    return isNew
  })

/** Ids of the database and of those with a user of the name, in the order in which all take their rows. */
async function inOrder(
  db: Database,
  serverId: number,
  { id, slug, username }: Pick<ConnectionRecord, 'id' | 'slug'> & { readonly username: string },
): Promise<readonly number[]> {
  const others = await connectionsWithUser(db, serverId, username)
  const all = new Map([...others, { id, slug }].map((each) => [each.slug, each.id]))
  return [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}

const leavingWith = ({ slug }: ConnectionRecord, username: string): Error =>
  fail('database.operation_busy', {
    message: `The user ${username} is dropped with the database ${slug}, which is being removed. Run the same command again once that is done: \`fleet database:destroy ${slug}\` finishes it.`,
    details: { slug, username },
  })

type CompleteRecord = ConnectionRecord & { readonly database_name: string; readonly username: string }

function completeOrRefuse(record: ConnectionRecord, server: ServerRecord): CompleteRecord {
  const { pending_step, database_name, username } = record
  if (pending_step !== null) throw fail('database.operation_busy')
  if (database_name === null || username === null) throw inactive(server)
  return { ...record, database_name, username }
}

const rowOf = (
  { deps, call, server, input: { username, read_only: isReadOnly = false } }: Work,
  record: CompleteRecord,
): NewRow<'database_users'> => ({
  database_connection_id: record.id,
  username,
  privileges: `${isReadOnly ? 'SELECT' : WRITES} on ${record.database_name}`,
  created_by: call.caller?.name ?? null,
  created_at: deps.clock.now().toISOString(),
  role: isReadOnly ? null : roleFor(server.engine, record.database_name),
})

/** Password and privileges are those of the request. A new user who cannot be created goes, unless the server had one of this name. */
async function granted(work: Work, { id }: ConnectionRecord, isNew: boolean): Promise<DatabaseUserRecord> {
  const { deps, call, server, input } = work
  const { slug, username: user, password, read_only: isReadOnly = false } = input
  // Whether nothing of it is on the server.
  let isGone = true
  try {
    return await holding(deps.store, call, lockOf('database', slug), async () => {
      const record = completeOrRefuse(await requireConnection(deps.store, slug, undefined), server)
      const { database_name: database, username: owner } = record
      const admin = await databaseAdminOf(deps, call, server, { database, user })
      const taken = isNew ? await admin.run((sql) => sql.taken({ database, test: null, user })) : []
      const isThere = taken.includes(`user ${user}`)
      if (isThere && !(await isOurs(deps, server, user, id))) throw strangerOn(server, user)
      try {
        isGone = false
        const wanted = { database, owner, user, password: new Secret(password), isReadOnly }
        await admin.run((sql) => sql.grant(wanted))
      } catch (error) {
        isGone = isNew && (isThere || (await isDropped(admin, call, user)))
        throw error
      }
      return putUser(deps.store.db, rowOf(work, record))
    })
  } catch (error) {
    if (isNew && isGone) await deleteUser(deps.store.db, id, user)
    throw error
  }
}

/** Whether a record has created the user, or one that is gone and whose user the server still has. */
async function isOurs(
  { store: { db } }: OwnedDeps,
  { id: serverId }: ServerRecord,
  user: string,
  connectionId: number,
): Promise<boolean> {
  if (await usesUser(db, serverId, user, connectionId)) return true
  const residues = await residuesOf(db, serverId)
  return residues.some(({ username, created_users }) => username === user || created_users.includes(user))
}

const strangerOn = ({ slug }: ServerRecord, user: string) =>
  fail('database.name_conflict', {
    message: `The server ${slug} has a user ${user} that Fleet did not create. Its password would change, and it would be dropped with the database: use another name.`,
    details: { server: slug, username: user },
  })

/** False where the server does not do it, or the user belongs to another request by now: then its record stays. */
async function isDropped(admin: DatabaseAdmin, call: Call, user: string): Promise<boolean> {
  try {
    call.locks.requireHeld()
    await admin.run((sql) => sql.dropUser(user, []))
    return true
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return false
  }
}

/** The login of a connection is not changed under it; root is nobody's. */
async function refuseLogin(
  db: Database,
  { engine }: ServerRecord,
  { id, server_id, username }: ConnectionRecord,
  user: string,
): Promise<void> {
  const isLogin = user === username || RESERVED.has(user.toLowerCase()) || isKept(engine, user)
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
