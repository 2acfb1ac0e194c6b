import { type DatabaseAttachmentData, fail, type ReplacedByAttachment } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import { type Database, SealBroken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { replaceAttachment } from '#/databases/attachments/queries.ts'
import { keysOf, valuesOf } from '#/databases/attachments/rules.ts'
import { openPassword, unreadablePassword } from '#/databases/password.ts'
import { findLeaving } from '#/databases/owned/queries.ts'
import { findConnection, lockConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { Environment, Replacement } from '#/environment/api.ts'
import type { Handler } from '#/handler.ts'
import { noteInstance } from '#/databases/attachments/note.ts'
import { finishRemoval, type Instances, type PlacedInstance } from '#/instances/api.ts'

export interface AttachmentDeps {
  readonly store: Store
  readonly clock: Clock
  readonly instances: Pick<Instances, 'find'>
  readonly environment: Pick<Environment, 'replace' | 'stored'>
}

export interface Wanted {
  readonly instance: PlacedInstance
  readonly slug: string
  readonly prefix: string
}

/** Attaches a connection to an Instance: its keys are stored, its file on the Node is not touched (DB-079, DB-087). */
export const makeAdd =
  (deps: AttachmentDeps): Handler<'instance:database:add'> =>
  async ({ call, input, found }) => {
    call.note.property('connection', input.slug)
    const instance = await noteInstance(deps, call, input.instance, found?.instance)
    const { slug, prefix } = input
    return { data: await attach(deps, call, { instance, slug, prefix }) }
  }

/** Throws what `lockedConnection` does, `database.password_unreadable`, and what storing the keys throws. */
export async function attach(
  deps: AttachmentDeps,
  call: Call,
  { instance, slug, prefix }: Wanted,
): Promise<DatabaseAttachmentData & Replaced> {
  let record: ConnectionRecord | undefined
  let keys: readonly string[] = []
  let before: string | undefined
  const { changed, keyCount, replacedKeys } = await deps.environment.replace(call, instance, async (db) => {
    record = await lockedConnection(db, slug)
    const { set, removed } = replacementOf(deps, record, prefix)
    keys = [...set.keys()]
    const created_at = deps.clock.now().toISOString()
    before = await replaceAttachment(db, { instance_id: instance.id, prefix, slug, created_at })
    return { set, removed }
  })
  call.note.property('changed', changed)
  return {
    instance_id: instance.id,
    slug,
    prefix,
    keys: [...keys],
    host: record?.host ?? null,
    port: record?.port ?? null,
    operation: 'add',
    changed,
    key_count: keyCount,
    ...replacedOf(before, replacedKeys),
  }
}

interface Replaced {
  readonly replaced?: ReplacedByAttachment
}

/** Empty where nothing was replaced. */
export const replacedOf = (connection: string | undefined, keys: readonly string[]): Replaced =>
  connection === undefined && keys.length === 0
    ? {}
    : { replaced: { connection: connection ?? null, keys: [...keys] } }

/** What a connection writes, and the other keys of the prefix, which it removes (DB-091). */
export function replacementOf(
  { store: { cipher } }: { readonly store: Pick<Store, 'cipher'> },
  record: ConnectionRecord,
  prefix: string,
): Replacement {
  const set = valuesOf(record, passwordOf(cipher, record), prefix)
  return { set, removed: keysOf(prefix).filter((key) => !set.has(key)) }
}

/**
 * Locked, so that its removal does not begin before what uses it is stored. Throws `database.not_found`, and `database.operation_busy`
 * while it is created or removed, alone or with the Instance that owns it (decisions 0301 and 0376).
 */
export async function lockedConnection(db: Database, slug: string): Promise<ConnectionRecord> {
  const known = await findConnection(db, slug)
  const record = known && (await lockConnection(db, known.id))
  if (!record) throw fail('database.not_found', { details: { slug } })
  if (record.pending_step !== null) throw fail('database.operation_busy', { details: { slug } })
  const { owner_instance_id: ownerId } = record
  const owner = ownerId === null ? undefined : await findLeaving(db, ownerId)
  if (!owner) return record
  const finish = finishRemoval(owner.id, owner.removal_force === 1)
  throw fail('database.operation_busy', {
    message: `The database ${slug} is being removed with the Instance ${owner.name}. Finish that first: \`${finish}\`.`,
    details: { slug, instance_id: owner.id, finish },
  })
}

/** Throws `database.password_unreadable`. */
export function passwordOf(cipher: Store['cipher'], record: ConnectionRecord): string | undefined {
  try {
    return openPassword(cipher, record)?.reveal()
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw fail('database.password_unreadable', {
      message: unreadablePassword(record),
      details: { slug: record.slug },
      cause: error,
    })
  }
}
