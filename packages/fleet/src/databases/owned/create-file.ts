import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { pathOfCopy, type SourceFile } from '#/databases/owned/file-copy.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { type FileCreation, fileCreation, fileCreationLog } from '#/databases/owned/steps/file-creation.ts'
import { findConnection, insertConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type InstanceRecord, requirePlaced } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { performSteps } from '#/perform-steps.ts'

export interface WantedFile {
  readonly slug: string
  readonly instanceId: number
  readonly copyOf: SourceFile
}

/** What tests of an Instance with a SQLite file use (DB-026). */
export const TEST_DATABASE = ':memory:'

/**
 * Gives an Instance a copy of a SQLite file of its Node, and attaches it. The identical request finishes one that was interrupted.
 * Throws `database.slug_conflict`, `database.operation_busy` and `database.query_failed`.
 */
export async function createFromFile(
  deps: OwnedDeps,
  call: Call,
  { slug, instanceId, copyOf }: WantedFile,
): Promise<ConnectionRecord> {
  return deps.instances.withOperationLock(call, instanceId, 'env.operation_busy', async () => {
    const instance = await deps.instances.find(instanceId)
    if (!instance) throw fail('instance.not_found')
    if (instance.status !== 'active')
      throw fail('env.owner_unavailable', { details: { status: instance.status } })
    requirePlaced(instance)
    return holding(deps.store, call, lockOf('database', slug), async () => {
      const record = await reserve(deps, slug, instance, copyOf)
      if (record.pending_step === null) return record
      const creation: FileCreation = { deps, call, record, instance, copyOf }
      await performSteps(fileCreation, creation, { call, log: fileCreationLog(creation), clock: deps.clock })
      return creation.record
    })
  })
}

/** The new record, or that of an interrupted request of the same Instance. */
async function reserve(
  { store, clock }: OwnedDeps,
  slug: string,
  instance: InstanceRecord,
  copyOf: SourceFile,
): Promise<ConnectionRecord> {
  const path = pathOfCopy(instance, copyOf)
  const inserted = await insertConnection(store.db, {
    slug,
    driver: 'sqlite',
    node_id: instance.node_id,
    path,
    owner_instance_id: instance.id,
    test_database: TEST_DATABASE,
    pending_step: RESERVED,
    created_at: clock.now().toISOString(),
  })
  if (inserted) return inserted
  const record = await findConnection(store.db, slug)
  if (record?.owner_instance_id === instance.id && record.driver === 'sqlite')
    // The file of `default` may have been moved since the request that was interrupted.
    return (record.pending_step !== null && (await updateConnection(store.db, record.id, { path }))) || record
  throw fail(
    'database.slug_conflict',
    record ? { details: { database_connection: { id: record.id, slug } } } : {},
  )
}
