import type { Database, Row } from '@fleet/store'

export type StoredValue = Pick<Row<'environment_values'>, 'key' | 'value'>

/** What is known of the file on the Node; undefined before the first write. */
export interface FileRecord {
  /** Written at the last confirmed synchronization, or removed from storage since (ENV-049). */
  readonly known: readonly string[]
  /** Names of writes that the Node has not confirmed; empty when none is open. */
  readonly pending: readonly string[]
}

/** Sealed values of an Instance, by key. */
export const storedValues = (db: Database, instanceId: number): Promise<StoredValue[]> =>
  db
    .selectFrom('environment_values')
    .select(['key', 'value'])
    .where('instance_id', '=', instanceId)
    .orderBy('key')
    .execute()

/** Active production Instances on the Node with stored values, by id. */
export const configuredOn = (db: Database, nodeId: number): Promise<{ readonly id: number }[]> =>
  db
    .selectFrom('instances')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('environment', '=', 'production')
    .where('status', '=', 'active')
    .where('removal_status', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('environment_values')
          .select('key')
          .whereRef('environment_values.instance_id', '=', 'instances.id'),
      ),
    )
    .orderBy('id')
    .execute()

/** Adds the sealed values or replaces those of the same key. Their time is after the last synchronization, whatever the clock says. */
export async function putValues(
  db: Database,
  instanceId: number,
  values: readonly StoredValue[],
  at: string,
): Promise<void> {
  // SQLite binds at most 32,766 parameters: 1,024 keys of four stay well below.
  if (values.length === 0) return
  const updated_at = later(at, await lastSynchronization(db, instanceId))
  await db
    .insertInto('environment_values')
    .values(values.map(({ key, value }) => ({ instance_id: instanceId, key, value, updated_at })))
    .onConflict((conflict) =>
      conflict.columns(['instance_id', 'key']).doUpdateSet((row) => ({
        value: row.ref('excluded.value'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute()
}

async function lastSynchronization(db: Database, instanceId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('environment_files')
    .select('synced_at')
    .where('instance_id', '=', instanceId)
    .executeTakeFirst()
  return row?.synced_at ?? undefined
}

/** The time, or the next one after another: a clock may have been set back in between. */
const later = (at: string, than: string | undefined): string =>
  than === undefined || at > than ? at : new Date(Date.parse(than) + 1).toISOString()

export async function deleteValues(db: Database, instanceId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db
    .deleteFrom('environment_values')
    .where('instance_id', '=', instanceId)
    .where('key', 'in', keys)
    .execute()
}

/** Adds names that the file may have and storage no longer has. */
export async function knowKeys(db: Database, instanceId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const { known } = await fileRecord(db, instanceId)
  const known_keys = [...new Set([...known, ...keys])]
  await db
    .insertInto('environment_files')
    .values({ instance_id: instanceId, known_keys, pending_keys: null, synced_at: null })
    .onConflict((conflict) => conflict.column('instance_id').doUpdateSet({ known_keys }))
    .execute()
}

export async function fileRecord(db: Database, instanceId: number): Promise<FileRecord> {
  const row = await db
    .selectFrom('environment_files')
    .select(['known_keys', 'pending_keys'])
    .where('instance_id', '=', instanceId)
    .executeTakeFirst()
  return { known: row?.known_keys ?? [], pending: row?.pending_keys ?? [] }
}

/** Keys whose value was stored after the last confirmed synchronization; none before the first. */
export async function keysStoredSince(db: Database, instanceId: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('environment_values')
    .innerJoin('environment_files', 'environment_files.instance_id', 'environment_values.instance_id')
    .where('environment_values.instance_id', '=', instanceId)
    .whereRef('environment_values.updated_at', '>', 'environment_files.synced_at')
    .select('environment_values.key')
    .execute()
  return new Set(rows.map(({ key }) => key))
}

/** Notes the names of a write before it is sent. */
export async function openWrite(
  db: Database,
  instanceId: number,
  pending_keys: readonly string[],
): Promise<void> {
  await db
    .insertInto('environment_files')
    .values({ instance_id: instanceId, known_keys: [], pending_keys, synced_at: null })
    .onConflict((conflict) => conflict.column('instance_id').doUpdateSet({ pending_keys }))
    .execute()
}

/** Records that the file holds exactly these names, as of a time that is before no value that is stored. */
export async function confirmWrite(
  db: Database,
  instanceId: number,
  known: readonly string[],
  at: string,
): Promise<void> {
  await db
    .insertInto('environment_files')
    .values(({ selectFrom }) => ({
      instance_id: instanceId,
      known_keys: known,
      pending_keys: null,
      synced_at: selectFrom('environment_values')
        .where('instance_id', '=', instanceId)
        .select(({ fn, case: either }) =>
          either()
            .when(fn.max('updated_at'), '>', at)
            .then(fn.max('updated_at'))
            .else(at)
            .end()
            .as('synced_at'),
        ),
    }))
    .onConflict((conflict) =>
      conflict.column('instance_id').doUpdateSet(({ ref }) => ({
        known_keys: ref('excluded.known_keys'),
        pending_keys: null,
        synced_at: ref('excluded.synced_at'),
      })),
    )
    .execute()
}

/** Status and Node of the Instance as the caller's snapshot has them. */
export const placementRow = (
  db: Database,
  instanceId: number,
): Promise<Pick<Row<'instances'>, 'status' | 'node_id'> | undefined> =>
  db.selectFrom('instances').select(['status', 'node_id']).where('id', '=', instanceId).executeTakeFirst()
