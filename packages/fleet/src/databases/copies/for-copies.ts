import { DEFAULT_DATABASE_PREFIX, fail, type SharedDatabase } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type CopyRecord, type Database, type Row, SealBroken } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type AttachmentRecord, attachmentsOf, putAttachment } from '#/databases/attachments/queries.ts'
import { lockedConnection } from '#/databases/attachments/add.ts'
import { slugOf } from '#/databases/creations/slug.ts'
import { TEST_DATABASE } from '#/databases/owned/create-file.ts'
import type { OwnedDeps } from '#/databases/owned/steps/creation.ts'
import { presentConnection } from '#/databases/present.ts'
import { findConnection, insertConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type Environment, renamed } from '#/environment/api.ts'
import type { InstanceCopies, InstanceRecord } from '#/instances/api.ts'
import { movedPath } from '#/moved-path.ts'

type InstanceRow = Row<'instances'>

export interface CopyDeps extends Pick<OwnedDeps, 'store' | 'clock' | 'instances'> {
  readonly environment: Pick<Environment, 'copyRenamed' | 'importFirst' | 'isStored' | 'synchronize'>
  readonly routes: {
    ownRoute(instanceId: number, db: Database): Promise<{ readonly domain: string } | undefined>
  }
}

/** What a copy of an Instance does with databases and stored values (INS-072). */
export const makeCopyDatabases = (deps: CopyDeps): Omit<InstanceCopies, 'isCold'> => ({
  databaseFiles: async (source, { project, name }) => {
    const { db } = deps.store
    const files: string[] = []
    for (const { attachment, record } of await attachedTo(db, source.id)) {
      if (record.driver !== 'sqlite') continue
      files.push(fileIn(record, source))
      await requireFree(db, slugFor(project, name, attachment))
    }
    return files
  },
  complete: async ({ call }, row) => {
    try {
      return await complete(deps, call, row)
    } catch (error) {
      throw failureOf(error)
    }
  },
})

async function complete(deps: CopyDeps, call: Call, row: InstanceRow): Promise<readonly SharedDatabase[]> {
  const { store, environment, instances } = deps
  const copy = await instances.find(row.id)
  if (!copy || !row.copy) throw fail('instance.not_found')
  const { source } = row.copy
  // The file came with the checkout; what is stored of the source comes over it.
  await environment.importFirst(call, row.id)
  const given = await instances.withOperationLock(call, row.id, 'env.operation_busy', async () => {
    await requireSource(instances, source)
    return store.transaction(async (db) => {
      const domain = (await deps.routes.ownRoute(row.id, db))?.domain ?? null
      const to = { path: row.checkout_path, domain }
      const rename = (value: string): string => renamed(value, source, to)
      await environment.copyRenamed(db, { from: source.id, to: row.id, rename })
      return attachAll(deps, db, copy, source)
    })
  })
  if (await environment.isStored(row.id)) await environment.synchronize(call, row.id)
  for (const record of given.own) await call.publish('database.created', presentConnection(record))
  return given.shared
}

/** What it has goes with it: a copy that gets nothing of one that is gone would seem to be complete. */
async function requireSource(
  instances: CopyDeps['instances'],
  { id, name }: CopyRecord['source'],
): Promise<void> {
  const source = await instances.find(id)
  const details = { source_instance: { id, name } }
  if (!source) throw fail('instance.copy_source_missing', { details })
  if (source.status !== 'active') throw fail('instance.copy_source_inactive', { details })
}

interface Given {
  readonly own: readonly ConnectionRecord[]
  readonly shared: readonly SharedDatabase[]
}

/** SQLite files have been copied with the checkout, and are its own; every other database is that of the source too. */
async function attachAll(
  deps: CopyDeps,
  db: Database,
  copy: InstanceRecord,
  source: CopyRecord['source'],
): Promise<Given> {
  const own: ConnectionRecord[] = []
  const shared: SharedDatabase[] = []
  const attached = await attachedTo(db, source.id)
  const common = attached.flatMap(({ record }) => (record.driver === 'sqlite' ? [] : [record.slug]))
  // Whoever removes one with its owner sees the copy, or is seen here (decision 0376).
  for (const slug of new Set(common.toSorted())) await lockedConnection(db, slug)
  for (const { attachment, record } of attached) {
    const isFile = record.driver === 'sqlite'
    const used = isFile ? await ownFile(deps, db, copy, { attachment, record, source }) : record
    if (isFile) own.push(used)
    else shared.push({ slug: record.slug, prefix: attachment.prefix, driver: record.driver })
    const created_at = deps.clock.now().toISOString()
    await putAttachment(db, {
      instance_id: copy.id,
      prefix: attachment.prefix,
      slug: used.slug,
      created_at,
    })
  }
  return { own, shared }
}

interface Attached {
  readonly attachment: AttachmentRecord
  readonly record: ConnectionRecord
}

async function ownFile(
  { clock }: CopyDeps,
  db: Database,
  copy: InstanceRecord,
  { attachment, record, source }: Attached & { readonly source: CopyRecord['source'] },
): Promise<ConnectionRecord> {
  const slug = slugFor(copy.project.slug, copy.name, attachment)
  const path = movedPath(record.path ?? '', { from: source.path, to: copy.checkout_path })
  // Attached since the files were copied.
  if (path === undefined) throw unsupported(record.slug, 'outside_checkout')
  const inserted = await insertConnection(db, {
    slug,
    driver: 'sqlite',
    node_id: copy.node_id,
    path,
    owner_instance_id: copy.id,
    test_database: TEST_DATABASE,
    created_at: clock.now().toISOString(),
  })
  const found = inserted ?? (await findConnection(db, slug))
  if (found?.owner_instance_id === copy.id) return found
  throw conflict(slug, found)
}

async function attachedTo(db: Database, instanceId: number): Promise<readonly Attached[]> {
  const attached: Attached[] = []
  for (const attachment of await attachmentsOf(db, instanceId)) {
    const record = await findConnection(db, attachment.slug)
    if (!record) continue
    if (record.pending_step !== null) throw unsupported(record.slug, 'incomplete')
    attached.push({ attachment, record })
  }
  return attached
}

const slugFor = (project: string, instance: string, { prefix }: AttachmentRecord): string =>
  prefix === DEFAULT_DATABASE_PREFIX
    ? slugOf(project, instance)
    : slugOf(project, `${instance}-${prefix.toLowerCase().replaceAll('_', '-')}`)

/** Its path in the checkout; what the file system says of links is checked on the Node. */
function fileIn(
  { slug, node_id, path }: ConnectionRecord,
  source: Pick<InstanceRow, 'node_id' | 'checkout_path'>,
): string {
  const { checkout_path: root } = source
  const isBelow = path !== null && path.startsWith(`${root}/`) && !path.split('/').includes('..')
  if (node_id !== source.node_id || !isBelow) throw unsupported(slug, 'outside_checkout')
  return path.slice(root.length + 1)
}

async function requireFree(db: Database, slug: string): Promise<void> {
  const taken = await findConnection(db, slug)
  if (taken) throw conflict(slug, taken)
}

const conflict = (slug: string, record: ConnectionRecord | undefined): CodedError =>
  fail('database.slug_conflict', record ? { details: { database_connection: { id: record.id, slug } } } : {})

const unsupported = (slug: string, reason: string): CodedError =>
  fail('instance.database_clone_unsupported', {
    message: `The SQLite file of the database ${slug}, which the source uses, cannot be copied with its checkout (${reason}). Detach it from the source first: \`fleet instance:database:remove INSTANCE ${slug} --prefix PREFIX\`.`,
    details: { database_connection: slug, reason },
  })

/** Whatever stops it is one failure to the caller, but for a lock that another request holds. */
function failureOf(error: unknown): unknown {
  if (error instanceof SealBroken)
    return fail('instance.copy_failed', { details: { step: 'environment', reason: 'sealed' }, cause: error })
  if (!(error instanceof CodedError) || error.code.endsWith('_busy')) return error
  return fail('instance.copy_failed', {
    message: `The databases and stored values of the source could not be given to the copy, which was removed again: ${error.message}`,
    details: { ...error.details, reason: error.code },
    cause: error,
  })
}
