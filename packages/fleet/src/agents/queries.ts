import type { Database } from '@fleet/store'

/** SHA-256 in hex of the secret of a Node's agent; undefined when it has none yet, or there is no such Node (AGT-013). */
export async function findSecretHash(db: Database, nodeId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('nodes')
    .select('agent_secret_hash')
    .where('id', '=', nodeId)
    .executeTakeFirst()
  return row?.agent_secret_hash ?? undefined
}

/** Ids of the Nodes that have an agent: Linux with a pinned host key. */
export async function managedNodeIds(db: Database): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('nodes')
    .select('id')
    .where('platform', '=', 'linux')
    .where('ssh_host_fingerprint', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function storeSecretHash(db: Database, nodeId: number, hash: string | null): Promise<void> {
  await db.updateTable('nodes').set({ agent_secret_hash: hash }).where('id', '=', nodeId).execute()
}
