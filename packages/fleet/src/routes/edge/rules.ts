import type { Row } from '@fleet/store'
import type { RouteRow } from '#/routes/record.ts'

/** A Node that has a part in the public edge of a Cluster. */
export interface EdgeNode extends Pick<Row<'node_roles'>, 'status'> {
  readonly nodeId: number
  readonly wireguardIp: string | null
  readonly lanIp: string | null
  readonly failedStep: string | null
}

/** The way from outside into a Cluster, as far as it has one. */
export interface ClusterEdge {
  readonly clusterId: number
  readonly isActive: boolean
  /** The active one. */
  readonly router: EdgeNode | undefined
  /** Whatever the status of the role. */
  readonly ingress: EdgeNode | undefined
}

/** An edge that serves what was activated. */
export interface ServingEdge extends ClusterEdge {
  readonly router: EdgeNode
  readonly ingress: EdgeNode
}

/** An active Cluster with a Router, and an ingress that is active, converging or failed to converge again (RTX-050). */
export const isServing = (edge: ClusterEdge | undefined): edge is ServingEdge =>
  edge?.isActive === true && edge.router !== undefined && edge.ingress !== undefined && isHeld(edge.ingress)

/** What is being removed, or failed to be, holds nothing any more. */
export const isHeld = ({ status, failedStep }: EdgeNode): boolean =>
  status === 'active' ||
  status === 'provisioning' ||
  (status === 'failed' && failedStep?.startsWith('converge:') === true)

/** Nothing new is published by an ingress whose services are not known to work (RTX-050). */
export const maySwitchOn = (edge: ClusterEdge | undefined): edge is ServingEdge =>
  isServing(edge) && edge.ingress.status === 'active'

/** Where a Route is on its way to the public and back (RTX-031); null for one that never was. */
export const edgeSteps = ['public-activated', 'ingress-firewall', 'public-withdrawn'] as const
export type EdgeStep = (typeof edgeSteps)[number]

/** Its public site belongs into the file of the ingress, and its ports are open there, while the edge serves. */
export const isAtEdge = ({ kind, publication, edge_step, has_site }: RouteRow): boolean =>
  kind === 'app' &&
  publication === 'public' &&
  has_site === 1 &&
  (edge_step === 'public-activated' || edge_step === 'ingress-firewall')

/** Visitors from outside reach it by now (RTX-052). */
export const isLive = (route: RouteRow, edge: ClusterEdge | undefined): boolean =>
  isAtEdge(route) && isServing(edge) && (route.status === 'active' || route.status === 'activating')

/** Only production is public (RTX-050). */
export const isProduction = ({ environment }: Pick<Row<'instances'>, 'environment'>): boolean =>
  environment === 'production'

/** The LAN is for two that are both on it (RTX-056). */
export const addressFrom = (
  from: Pick<EdgeNode, 'lanIp'>,
  to: Pick<EdgeNode, 'lanIp' | 'wireguardIp'>,
): string | null => (from.lanIp === null ? to.wireguardIp : (to.lanIp ?? to.wireguardIp))

/** Every address that the Node sends from within the fleet. */
export const addressesOf = ({ wireguardIp, lanIp }: EdgeNode): readonly string[] =>
  [wireguardIp, lanIp].filter((address) => address !== null)
