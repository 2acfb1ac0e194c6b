import * as z from 'zod'
import { nodeStatuses } from '../nodes/records.ts'
import { displayName, dnsLabel, id } from '../params.ts'

export const clusterStates = ['inactive', 'active'] as const
export type ClusterState = (typeof clusterStates)[number]

/** Name for people (CLU-004). */
export const clusterName = displayName
/** One label, under which an active Cluster generates the domains of its Nodes (CLU-004). */
export const clusterTld = dnsLabel.nullable()

/** A Node as its Cluster shows it (CLU-002). */
export const clusterMember = z.strictObject({
  id,
  name: z.string(),
  status: z.enum(nodeStatuses),
  wireguard_ip: z.string().nullable(),
  lan_ip: z.string().nullable(),
})
export type ClusterMemberData = z.output<typeof clusterMember>

/** Nodes that share a Router and a top-level domain (CLU-001). */
export const cluster = z.strictObject({
  id,
  name: clusterName,
  tld: clusterTld,
  state: z.enum(clusterStates),
  nodes: z.array(clusterMember),
  /** The member that serves the Routes of the Cluster. */
  router: clusterMember.nullable(),
})
export type ClusterData = z.output<typeof cluster>
