import { DEFAULT_DATABASE_PREFIX, fail, type ReplacedByAttachment } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { replacedOf, replacementOf } from '#/databases/attachments/add.ts'
import { replaceAttachment } from '#/databases/attachments/queries.ts'
import { dropDatabase } from '#/databases/owned/drop-database.ts'
import { ownedLogin } from '#/databases/owned/login.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { movePending, usesUser } from '#/databases/owned/queries.ts'
import type { DropsSpares } from '#/databases/ports.ts'
import { deleteConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type AdminDeps, databaseAdminOf } from '#/databases/servers/admin.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { isGrant } from '#/databases/servers/sql/statements.ts'
import type { Environment } from '#/environment/api.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { ConnectionDependents } from '#/processes/api.ts'

export interface OwnedDeps extends AdminDeps {
  readonly nodes: Pick<Nodes, 'find' | 'identity' | 'sessions' | 'mayActOn' | 'answers'>
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly instances: Pick<Instances, 'find' | 'withOperationLock'>
  readonly environment: Pick<Environment, 'replaceHeld' | 'checkHeld'>
  readonly dependents: ConnectionDependents
  readonly engines: DropsSpares
}

export interface DatabaseCreation {
  readonly deps: OwnedDeps
  readonly call: Call
  readonly server: ServerRecord
  /** Whose operation lock is held. */
  readonly instance: InstanceRecord | undefined
  record: ConnectionRecord
  /** By its attachment. */
  replaced?: ReplacedByAttachment
  /** Database of the same server whose data it begins with. */
  readonly copyOf?: string | undefined
}

/** What somebody else created is found before anything is created here. A creation that fails leaves no record (DBS-048). */
const names: Step<DatabaseCreation> = {
  name: 'names',
  run: async (creation) => {
    const { deps, call, server, record: row } = creation
    await requireAttachable(creation)
    const { database, test, user } = ownedLogin(deps.store.cipher, row)
    const admin = await databaseAdminOf(deps, call, server, { database, user })
    const found = await admin.run((sql) =>
      [sql.taken({ database, test, user }), sql.granted({ database, test })].join('\n'),
    )
    const [taken, granted] = [found.filter((row) => !isGrant(row)), found.filter(isGrant)]
    const isShared = await usesUser(deps.store.db, server.id, user, row.id, 'logins')
    const conflict = taken.find((line) => line !== `user ${user}` || !isShared)
    if (conflict !== undefined)
      throw fail('database.name_conflict', { details: { server: server.slug, name: nameIn(conflict) } })
    // The server keeps them when somebody else drops a database of that name.
    if (granted.length > 0) await admin.run((sql) => sql.revoke({ database, test }, granted))
  },
  undo: async ({ deps, record: { id } }) => void (await deleteConnection(deps.store.db, id)),
}

const nameIn = (line: string): string => line.slice(line.indexOf(' ') + 1)

const create: Step<DatabaseCreation> = {
  name: 'create',
  commits: true,
  run: async ({ deps, call, server, record: row }) => {
    const login = ownedLogin(deps.store.cipher, row)
    const admin = await databaseAdminOf(deps, call, server, login)
    await admin.run((sql) => sql.create(login))
  },
  undo: async ({ deps, call, server, record: row }) => void (await dropDatabase(deps, call, server, row)),
}

/** From the beginning each time: what an earlier attempt copied, or still copies, is dropped first (INS-068). */
const copy = (from: string): Step<DatabaseCreation> => ({
  name: 'copy',
  run: async ({ deps, call, server, record: row }) => {
    const login = ownedLogin(deps.store.cipher, row)
    const admin = await databaseAdminOf(deps, call, server, login)
    await admin.endCopy()
    await admin.run((sql) => [sql.drop([login.database], null), sql.create(login)].join('\n'))
    await admin.copy(from, login)
  },
})

/** What the end of a creation needs: a connection, and the Instance that gets it, whose operation lock is held. */
export interface Completion {
  readonly deps: Pick<OwnedDeps, 'store' | 'clock' | 'environment'>
  readonly call: Call
  readonly instance: InstanceRecord | undefined
  record: ConnectionRecord
  replaced?: ReplacedByAttachment
}

/** What the end of a creation would refuse is refused before anything of it is made (DBS-048). */
export async function requireAttachable({ deps, instance, record: row }: Completion): Promise<void> {
  if (instance)
    await deps.environment.checkHeld(instance.id, async () =>
      replacementOf({ store: deps.store }, row, DEFAULT_DATABASE_PREFIX),
    )
}

/** The connection is complete and attached, or neither; the identical request tries that again. */
export const complete: Step<Completion> = {
  name: 'complete',
  run: async (creation) => {
    const { deps, call, instance, record: row } = creation
    const { store } = deps
    if (!instance) {
      creation.record = (await updateConnection(store.db, row.id, { pending_step: null })) ?? row
      return
    }
    let before: string | undefined
    const { replacedKeys } = await deps.environment.replaceHeld(call, instance.id, async (db) => {
      creation.record = (await updateConnection(db, row.id, { pending_step: null })) ?? row
      before = await replaceAttachment(db, {
        instance_id: instance.id,
        prefix: DEFAULT_DATABASE_PREFIX,
        slug: row.slug,
        created_at: deps.clock.now().toISOString(),
      })
      return replacementOf({ store }, row, DEFAULT_DATABASE_PREFIX)
    })
    Object.assign(creation, replacedOf(before, replacedKeys))
  },
}

export const databaseCreation = stepList<DatabaseCreation>('owned-database-creation', ({ copyOf }) =>
  copyOf === undefined ? [names, create, complete] : [names, create, copy(copyOf), complete],
)

/** The last step that is done, in the record itself. */
export const creationLog = (creation: DatabaseCreation): StepLog =>
  logOf(
    creation,
    creation.copyOf === undefined ? ['names', 'create', 'complete'] : ['names', 'create', 'copy', 'complete'],
  )

/** Progress in the record of a connection, for a list of these steps. */
export function logOf(
  creation: Pick<Completion, 'record'> & { readonly deps: Pick<OwnedDeps, 'store'> },
  steps: readonly string[],
): StepLog {
  const reached = (): number => steps.findIndex((name) => name === creation.record.pending_step)
  const before = (step: string): string => steps[steps.findIndex((name) => name === step) - 1] ?? RESERVED
  return columnsLog<string>({
    done: () => steps.slice(0, reached() + 1),
    begun: () => steps.slice(reached() + 1, reached() + 2),
    on: {
      done: (step) => (step === 'complete' ? undefined : step),
      undone: (step) => before(step),
    },
    write: async (pending_step) => {
      const { id, pending_step: from } = creation.record
      // Another request may have taken the record over, and come further.
      const stored = await movePending(creation.deps.store.db, id, { from, to: pending_step })
      if (stored) creation.record = stored
    },
  })
}
