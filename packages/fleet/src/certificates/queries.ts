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
const ROOT_KEY = 'root_key'

/** SHA-256 of the root that the Nodes and clients of these records trust; undefined before the first start. */
export const findRootFingerprint = (db: Database): Promise<string | undefined> =>
  findFact(db, ROOT_FINGERPRINT)

/** SHA-256 of the public key of that root; undefined before a release that stores it has started. */
export const findRootKey = (db: Database): Promise<string | undefined> => findFact(db, ROOT_KEY)

/** Stores the fingerprint unless there is one, and answers the one that is stored then. */
export const addRootFingerprint = (db: Database, sha256: string): Promise<string | undefined> =>
  addFact(db, ROOT_FINGERPRINT, sha256)

export const addRootKey = (db: Database, sha256: string): Promise<string | undefined> =>
  addFact(db, ROOT_KEY, sha256)

/** The root was renewed. */
export async function setRootFingerprint(db: Database, sha256: string): Promise<void> {
  await db.updateTable('facts').set({ value: sha256 }).where('name', '=', ROOT_FINGERPRINT).execute()
}

async function findFact(db: Database, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

async function addFact(db: Database, name: string, value: string): Promise<string | undefined> {
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return findFact(db, name)
}

/** Whoever has Nodes has a root and a key that they trust. */
export const hasNodes = async (db: Database): Promise<boolean> =>
  (await db.selectFrom('nodes').select('id').limit(1).executeTakeFirst()) !== undefined
