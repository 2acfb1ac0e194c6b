import { CodedError } from '@fleet/kernel'
import { type Database, SealBroken, type Store } from '@fleet/store'
import { attachmentsTo } from '#/databases/attachments/queries.ts'
import { openPassword } from '#/databases/password.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import type { Environment } from '#/environment/api.ts'

export interface ValuesDeps {
  readonly store: Pick<Store, 'db' | 'cipher'>
  readonly environment: Pick<Environment, 'stored'>
}

export interface ValuesUser {
  readonly instance_id: number
  /** Stored keys whose values have the password. */
  readonly keys: readonly string[]
}

/**
 * Instances beside the owner that log in to a database on a server without being attached to it, by id: a clone has the stored values of its candidate
 * (INS-105). The fleet chose the password, so values that have it and the name of the database mean this one; databases of one owner
 * share their user. Those of the Project, and all in production.
 */
export async function usersByValues(
  { store: { db, cipher }, environment }: ValuesDeps,
  record: ConnectionRecord,
  leaving: readonly number[],
): Promise<readonly ValuesUser[]> {
  const password = passwordOf(cipher, record)
  const { server_id, database_name: database } = record
  if (server_id === null || database === null || password === undefined) return []
  const attached = (await attachmentsTo(db, record.slug)).map(({ instance_id }) => instance_id)
  const users: ValuesUser[] = []
  for (const id of await candidatesOf(db, record)) {
    if (id === record.owner_instance_id || leaving.includes(id) || attached.includes(id)) continue
    const values = await valuesOf(environment, id)
    const keys = [...values].flatMap(([key, value]) => (value.includes(password) ? [key] : []))
    const isNamed = [...values.values()].some(
      (value) => value === database || (value.includes(password) && value.includes(database)),
    )
    if (isNamed && keys.length > 0) users.push({ instance_id: id, keys: keys.toSorted() })
  }
  return users
}

async function candidatesOf(db: Database, { owner_instance_id: owner }: ConnectionRecord): Promise<number[]> {
  const rows = await db
    .selectFrom('instances')
    .select('id')
    .where('status', '!=', 'removing')
    .where((eb) =>
      eb.or([
        eb('environment', '=', 'production'),
        eb(
          'project_id',
          '=',
          eb
            .selectFrom('instances')
            .select('project_id')
            .where('id', '=', owner ?? 0),
        ),
      ]),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Of values that cannot be decrypted nobody knows what they name. */
async function valuesOf(
  { stored }: ValuesDeps['environment'],
  id: number,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await stored(id)
  } catch (error) {
    if (error instanceof SealBroken || error instanceof CodedError) return new Map()
    throw error
  }
}

function passwordOf(cipher: Store['cipher'], record: ConnectionRecord): string | undefined {
  try {
    return openPassword(cipher, record)?.reveal()
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}
