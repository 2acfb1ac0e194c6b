import type { Database } from '@fleet/store'

/** Id of the active gateway role of a Node; undefined for any other Node. */
export async function findGatewayRole(db: Database, nodeId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('node_roles')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('role', '=', 'gateway')
    .where('status', '=', 'active')
    .executeTakeFirst()
  return row?.id
}

const ROOT_FINGERPRINT = 'root_certificate'

/** SHA-256 of the root that the Nodes and clients of these records trust; undefined before the first start. */
export async function findRootFingerprint(db: Database): Promise<string | undefined> {
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', ROOT_FINGERPRINT)
    .executeTakeFirst()
  return row?.value
}

/** Stores the fingerprint unless there is one, and answers the one that is stored then. */
export async function addRootFingerprint(db: Database, sha256: string): Promise<string | undefined> {
  await db
    .insertInto('facts')
    .values({ name: ROOT_FINGERPRINT, value: sha256 })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return findRootFingerprint(db)
}

export const hasNodes = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('nodes').select('id').limit(1).executeTakeFirst()) !== undefined
