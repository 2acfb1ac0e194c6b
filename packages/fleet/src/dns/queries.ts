import type { Database, Row } from '@fleet/store'
import type { NameSources } from '#/dns/catalog.ts'

/** What the records say of names. */
export async function readNames(db: Database): Promise<Pick<NameSources, 'nodes' | 'clusters'>> {
  const roleRows = await db
    .selectFrom('node_roles')
    .select(['node_id', 'role', 'status'])
    .orderBy('id')
    .execute()
  const nodeRows = await db
    .selectFrom('nodes')
    .select(['id', 'name', 'status', 'wireguard_ip', 'lan_ip', 'tld', 'cluster_id'])
    .orderBy('id')
    .execute()
  const clusters = await db.selectFrom('clusters').select(['id', 'state', 'tld']).orderBy('id').execute()
  const roles = Map.groupBy(roleRows, ({ node_id }) => node_id)
  const nodes = nodeRows.map((node) => ({
    id: node.id,
    name: node.name,
    status: node.status,
    address: node.wireguard_ip,
    lanAddress: node.lan_ip,
    tld: node.tld,
    clusterId: node.cluster_id,
    roles: roles.get(node.id) ?? [],
  }))
  return { nodes, clusters }
}

/** Active holders of the role on whose Node the private DNS answers. */
export const listVpnAssignments = (db: Database): Promise<Array<Pick<Row<'node_roles'>, 'id' | 'node_id'>>> =>
  db
    .selectFrom('node_roles')
    .select(['id', 'node_id'])
    .where('role', '=', 'vpn')
    .where('status', '=', 'active')
    .orderBy('id')
    .execute()
