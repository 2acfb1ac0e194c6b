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
