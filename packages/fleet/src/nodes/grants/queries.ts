import type { NodeIdentity } from '@fleet/contract'
import type { Database, NewRow } from '@fleet/store'

export async function hasGrant(db: Database, consumerId: number, servingId: number): Promise<boolean> {
  const grant = await db
    .selectFrom('node_grants')
    .select('serving_node_id')
    .where('consumer_node_id', '=', consumerId)
    .where('serving_node_id', '=', servingId)
    .executeTakeFirst()
  return grant !== undefined
}

export async function servingIdsOf(db: Database, consumerId: number): Promise<number[]> {
  const grants = await db
    .selectFrom('node_grants')
    .select('serving_node_id')
    .where('consumer_node_id', '=', consumerId)
    .execute()
  return grants.map((grant) => grant.serving_node_id)
}

/** Nodes that the given one may act on, by name. */
export const servingNodesOf = (db: Database, consumerId: number): Promise<NodeIdentity[]> =>
  db
    .selectFrom('node_grants')
    .innerJoin('nodes', 'nodes.id', 'node_grants.serving_node_id')
    .select(['nodes.id', 'nodes.name'])
    .where('node_grants.consumer_node_id', '=', consumerId)
    .orderBy('nodes.name')
    .execute()

/** Nodes that may act on the given one, by name. */
export const consumerNodesOf = (db: Database, servingId: number): Promise<NodeIdentity[]> =>
  db
    .selectFrom('node_grants')
    .innerJoin('nodes', 'nodes.id', 'node_grants.consumer_node_id')
    .select(['nodes.id', 'nodes.name'])
    .where('node_grants.serving_node_id', '=', servingId)
    .orderBy('nodes.name')
    .execute()

/** False when the grant was stored already. */
export async function addGrant(db: Database, grant: NewRow<'node_grants'>): Promise<boolean> {
  const added = await db
    .insertInto('node_grants')
    .values(grant)
    .onConflict((conflict) => conflict.columns(['consumer_node_id', 'serving_node_id']).doNothing())
    .executeTakeFirst()
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False when there was none. */
export async function removeGrant(db: Database, consumerId: number, servingId: number): Promise<boolean> {
  const removed = await db
    .deleteFrom('node_grants')
    .where('consumer_node_id', '=', consumerId)
    .where('serving_node_id', '=', servingId)
    .executeTakeFirst()
  return removed.numDeletedRows > 0n
}
