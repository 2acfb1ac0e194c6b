import type { Database } from '@fleet/store'

/** Accounts of a Node that may call the gateway besides root; null without a limit. */
export async function findCallerAccounts(db: Database, nodeId: number): Promise<readonly string[] | null> {
  const row = await db
    .selectFrom('node_callers')
    .select('accounts')
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  return row?.accounts ?? null
}

/** Stores the limit, or that there is none. */
export async function putCallerAccounts(
  db: Database,
  nodeId: number,
  accounts: readonly string[] | null,
): Promise<void> {
  if (accounts === null) {
    await db.deleteFrom('node_callers').where('node_id', '=', nodeId).execute()
    return
  }
  await db
    .insertInto('node_callers')
    .values({ node_id: nodeId, accounts: [...accounts] })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ accounts: [...accounts] }))
    .execute()
}
