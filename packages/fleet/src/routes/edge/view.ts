import type { Database } from '@fleet/store'
import type { NodeRecord } from '#/nodes/api.ts'
import { type PublicRoute, publicRoutes } from '#/routes/edge/public-routes.ts'
import { edgesOf } from '#/routes/edge/queries.ts'
import { type ClusterEdge, isHeld } from '#/routes/edge/rules.ts'
import { sourceTowards } from '#/routes/routers/forwarders.ts'
import type { Site } from '#/web-server/api.ts'

/** What the sites of a Node follow from besides its own Routes. */
export interface EdgeView {
  /** The Node is the ingress of its Cluster: it has a way in from everywhere. */
  readonly isIngress: boolean
  /** Where the ingress of its Cluster leads visitors to the Node from, as a Router (RTX-056). */
  readonly ingressAddresses: readonly string[]
  /** What the Node serves to the public. */
  publicOn(nodeId: number): readonly PublicRoute[]
  /** The public reaches the Route on this Node. */
  isServedBy(routeId: number, nodeId: number): boolean
}

export async function edgeViewOf(db: Database, node: NodeRecord): Promise<EdgeView> {
  const found = await publicRoutes(db)
  const edges = await edgesOf(db)
  const ingressOf = new Map(found.map(({ route, edge }) => [route.id, edge.ingress.nodeId]))
  return {
    isIngress: edges.some(({ ingress }) => ingress?.nodeId === node.id && isHeld(ingress)),
    ingressAddresses: ingressTowards(node, edges),
    publicOn: (nodeId) => found.filter(({ edge }) => edge.ingress.nodeId === nodeId),
    isServedBy: (routeId, nodeId) => ingressOf.get(routeId) === nodeId,
  }
}

function ingressTowards(node: NodeRecord, edges: readonly ClusterEdge[]): readonly string[] {
  const ingress = edges.find(({ clusterId }) => clusterId === node.cluster_id)?.ingress
  const address =
    ingress && ingress.nodeId !== node.id && isHeld(ingress) ? sourceTowards(node, ingress) : null
  return address === null ? [] : [address]
}

/** Private sites of a Node that everybody reaches are for private visitors (RTX-084). */
export const guardOf =
  ({ isIngress }: EdgeView, range: string | undefined) =>
  (site: Site): Site =>
    isIngress && site.listener.kind === 'tcp'
      ? { ...site, admits: ['private_ranges', '100.64.0.0/10', ...(range === undefined ? [] : [range])] }
      : site
