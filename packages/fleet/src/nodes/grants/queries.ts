import type { NodeIdentity } from '@fleet/contract'
import { type Database, fixedQuery, type NewRow } from '@fleet/store'

/** What counts: a gateway Node that is not active has lost its authority, and a grant on it authorizes nothing (GW-005). */
const validGrants = (db: Database, consumerId: number) =>
  db
    .selectFrom('node_grants')
    .select('serving_node_id')
    .where('consumer_node_id', '=', consumerId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('nodes')
            .innerJoin('node_roles', 'node_roles.node_id', 'nodes.id')
            .select('nodes.id')
            .whereRef('nodes.id', '=', 'node_grants.serving_node_id')
            .where('nodes.status', '<>', 'active')
            .where('node_roles.role', '=', 'gateway'),
        ),
      ),
    )

const grants = fixedQuery((db: Database, consumerId: number, servingId: number) =>
  validGrants(db, consumerId).where('serving_node_id', '=', servingId),
)

export const hasGrant = async (db: Database, consumerId: number, servingId: number): Promise<boolean> =>
  (await grants(db, consumerId, servingId)).length > 0

const grantsOf = fixedQuery(validGrants)

export const servingIdsOf = async (db: Database, consumerId: number): Promise<number[]> =>
  (await grantsOf(db, consumerId)).map((grant) => grant.serving_node_id)

/** Nodes that the given one may act on, by name. */
export const servingNodesOf: (db: Database, consumerId: number) => Promise<NodeIdentity[]> = fixedQuery(
  (db: Database, consumerId: number) =>
    db
      .selectFrom('node_grants')
      .innerJoin('nodes', 'nodes.id', 'node_grants.serving_node_id')
      .select(['nodes.id', 'nodes.name'])
      .where('node_grants.consumer_node_id', '=', consumerId)
      .orderBy('nodes.name'),
)

/** Nodes that may act on the given one, by name. */
export const consumerNodesOf: (db: Database, servingId: number) => Promise<NodeIdentity[]> = fixedQuery(
  (db: Database, servingId: number) =>
    db
      .selectFrom('node_grants')
      .innerJoin('nodes', 'nodes.id', 'node_grants.consumer_node_id')
      .select(['nodes.id', 'nodes.name'])
      .where('node_grants.serving_node_id', '=', servingId)
      .orderBy('nodes.name'),
)

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
