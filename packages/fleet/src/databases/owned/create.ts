import { fail, type ReplacedByAttachment } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { connectionById, ownedBy, ownerNames, whoHasLogin } from '#/databases/owned/queries.ts'
import { isRemoval, RESERVED } from '#/databases/owned/pending.ts'
import {
  creationLog,
  type DatabaseCreation,
  databaseCreation,
  type OwnedDeps,
} from '#/databases/owned/steps/creation.ts'
import { openPassword, sealPassword } from '#/databases/password.ts'
import { findConnection, insertConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { inactive, requireActive } from '#/databases/servers/admin.ts'
import { ENGINES } from '#/databases/servers/engines.ts'
import { requireServer } from '#/databases/servers/locators.ts'
import { type DatabaseNames, isKept, isTestOf, namesOf } from '#/databases/servers/names.ts'
import { databasesOf } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { type InstanceRecord, requirePlaced } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { performSteps } from '#/perform-steps.ts'

export interface Wanted {
  readonly slug: string
  readonly server: string
  /** Owns the database. */
  readonly instanceId: number | undefined
  /** Database of the same server whose data it begins with. */
  readonly copyOf?: string
  /** Of the creation of the Instance, which finds a complete record of its own when it is repeated. */
  readonly isCreation?: boolean
}

interface Created {
  readonly record: ConnectionRecord
  readonly server: ServerRecord
  readonly replaced?: ReplacedByAttachment
}

const PASSWORD_BYTES = 24

/**
 * Creates a database and its user on a server, for an Instance also its test database, and attaches it (DBS-043 to DBS-048). The
 * identical request finishes one that was interrupted. Throws `database.server_missing`, `database.server_inactive`,
 * `database.slug_conflict`, `database.name_conflict` and the codes of the server's Node.
 */
export async function createOnServer(deps: OwnedDeps, call: Call, wanted: Wanted): Promise<Created> {
  const server = await requireServer(deps.store, wanted.server)
  requireActive(server)
  if (wanted.instanceId === undefined) return perform(deps, call, wanted, server, undefined)
  const { instanceId } = wanted
  const instance = await deps.instances.find(instanceId)
  if (!instance) throw fail('instance.not_found')
  return deps.instances.withOperationLock(call, instanceId, 'env.operation_busy', async () => {
    const current = await deps.instances.find(instanceId)
    if (current?.status !== 'active')
      throw fail('env.owner_unavailable', { details: { status: current?.status ?? null } })
    requirePlaced(current)
    return perform(deps, call, wanted, server, current)
  })
}

async function perform(
  deps: OwnedDeps,
  call: Call,
  wanted: Wanted,
  server: ServerRecord,
  instance: InstanceRecord | undefined,
): Promise<Created> {
  const { store } = deps
  const reserved = await holding(store, call, lockOf('databaseServer', server.slug), () =>
    reserve(deps, wanted, instance),
  )
  return holding(store, call, lockOf('database', wanted.slug), async () => {
    const record = await connectionById(store.db, reserved.id)
    // Whoever held the lock before has finished it, or has given it up.
    if (!record || isRemoval(record.pending_step)) throw fail('database.operation_busy')
    if (record.pending_step === null) {
      // Two identical requests at once: one of them has created it (GW-021).
      if (!wanted.isCreation) throw slugTaken(record)
      return { record, server }
    }
    const { copyOf } = wanted
    const creation: DatabaseCreation = { deps, call, server, record, instance, copyOf }
    await performSteps(databaseCreation, creation, { call, log: creationLog(creation), clock: deps.clock })
    const { replaced } = creation
    return { record: creation.record, server, ...(replaced && { replaced }) }
  })
}

/** The new record, or that of an interrupted request with the same values. */
async function reserve(
  deps: OwnedDeps,
  wanted: Wanted,
  instance: InstanceRecord | undefined,
): Promise<ConnectionRecord> {
  const { store } = deps
  const server = await requireServer(store, wanted.server)
  requireActive(server)
  const node = await deps.nodes.find(server.node_id)
  if (!node) throw inactive(server)
  const names = await namesFor(store.db, server, wanted.slug, instance)
  return store.transaction(async (db) => {
    const known = await findConnection(db, wanted.slug)
    if (known) return resumableOrRefuse(known, server, instance, wanted)
    await refuseNames(db, server, names)
    await refuseLogin(db, server, names, instance)
    const inserted = await insertConnection(db, {
      slug: wanted.slug,
      driver: ENGINES[server.engine].driver,
      node_id: server.node_id,
      host: node.wireguard_ip,
      port: server.port,
      database_name: names.database,
      username: names.user,
      server_id: server.id,
      owner_instance_id: instance?.id ?? null,
      test_database: names.test,
      pending_step: RESERVED,
      created_at: deps.clock.now().toISOString(),
    })
    const password = inserted && (await passwordOf(deps, db, inserted))
    const stored =
      inserted &&
      password !== undefined &&
      (await updateConnection(db, inserted.id, {
        password: sealPassword(store.cipher, inserted.id, password),
      }))
    if (!stored) throw fail('database.slug_conflict')
    return stored
  })
}

async function namesFor(
  db: Database,
  { engine }: ServerRecord,
  slug: string,
  instance: InstanceRecord | undefined,
): Promise<DatabaseNames> {
  const owner = instance && (await ownerNames(db, instance.id))
  return namesOf(engine, slug, owner)
}

function resumableOrRefuse(
  known: ConnectionRecord,
  server: ServerRecord,
  instance: InstanceRecord | undefined,
  { isCreation = false }: Wanted,
): ConnectionRecord {
  const isSame = known.server_id === server.id && known.owner_instance_id === (instance?.id ?? null)
  const isUnfinished = known.pending_step !== null && !isRemoval(known.pending_step)
  if (isSame && (isCreation || isUnfinished)) return known
  throw slugTaken(known)
}

const slugTaken = ({ id, slug }: ConnectionRecord): CodedError =>
  fail('database.slug_conflict', { details: { database_connection: { id, slug } } })

/** Throws `database.name_conflict` for names that the records of the server have already (DBS-047). */
async function refuseNames(db: Database, server: ServerRecord, names: DatabaseNames): Promise<void> {
  const conflict = (await databasesOf(db, server.id)).find(
    ({ database_name: other, test_database: test }) =>
      other !== null &&
      (other === names.database || isTestOf(names.database, test) || isTestOf(other, names.test)),
  )
  if (conflict)
    throw fail('database.name_conflict', {
      details: { database: names.database, database_connection: { id: conflict.id, slug: conflict.slug } },
    })
}

/** Throws `database.name_conflict` for a login that the engine keeps, or of somebody else, whose password and databases the creation would take. */
async function refuseLogin(
  db: Database,
  { id: serverId, engine }: ServerRecord,
  { user: username }: DatabaseNames,
  instance: InstanceRecord | undefined,
): Promise<void> {
  if (isKept(engine, username)) throw fail('database.name_conflict', { details: { username } })
  const other = await whoHasLogin(db, { serverId, username, ownerId: instance?.id ?? null })
  if (other) throw fail('database.name_conflict', { details: { username, database_connection: other } })
}

/** The password of the Instance's user on this server, which it keeps (DBS-043), or a new one (DBS-044). */
async function passwordOf(
  { store: { cipher }, ids }: OwnedDeps,
  db: Database,
  { id, owner_instance_id, server_id, username }: ConnectionRecord,
): Promise<string> {
  const owned = owner_instance_id === null ? [] : await ownedBy(db, owner_instance_id)
  const sibling = owned.find(
    (other) => other.id !== id && other.server_id === server_id && other.username === username,
  )
  return (sibling && openPassword(cipher, sibling)?.reveal()) ?? ids.hex(PASSWORD_BYTES)
}
