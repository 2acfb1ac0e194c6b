import type { Database, Row } from '@fleet/store'
import type { ClusterEdge } from '#/routes/edge/rules.ts'

/** What the public edge of each Cluster is made of. */
export async function edgesOf(db: Database): Promise<readonly ClusterEdge[]> {
  const rows = await db
    .selectFrom('node_roles')
    .innerJoin('nodes', 'nodes.id', 'node_roles.node_id')
    .innerJoin('clusters', 'clusters.id', 'nodes.cluster_id')
    .select([
      'clusters.id as clusterId',
      'clusters.state',
      'nodes.id as nodeId',
      'nodes.wireguard_ip as wireguardIp',
      'nodes.lan_ip as lanIp',
      'node_roles.role',
      'node_roles.status',
      'node_roles.failed_step as failedStep',
    ])
    .where('node_roles.role', 'in', ['router', 'ingress'])
    .orderBy('clusters.id')
    .orderBy('nodes.id')
    .execute()
  return [...Map.groupBy(rows, ({ clusterId }) => clusterId)].map(([clusterId, of]) => ({
    clusterId,
    isActive: of.some(({ state }) => state === 'active'),
    router: of.find(({ role, status }) => role === 'router' && status === 'active'),
    ingress: of.find(({ role }) => role === 'ingress'),
  }))
}

export const edgeOf = async (db: Database, clusterId: number | null): Promise<ClusterEdge | undefined> =>
  clusterId === null ? undefined : (await edgesOf(db)).find((edge) => edge.clusterId === clusterId)

/** Routes of the Cluster that are meant for the public, whatever their status. */
export const publicRoutesIn = (db: Database, clusterId: number): Promise<ReadonlyArray<Row<'routes'>>> =>
  db
    .selectFrom('routes')
    .selectAll()
    .where('cluster_id', '=', clusterId)
    .where('publication', '=', 'public')
    .orderBy('id')
    .execute()
