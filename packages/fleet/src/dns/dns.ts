import type { Call } from '#/call.ts'
import type { ClusterRecord } from '#/clusters/api.ts'
import type { PrivateDns } from '#/dns/names.ts'
import type { FamilyChecks, NodeSession, NodeArtifact } from '#/nodes/api.ts'

/** The fleet's own DNS: which names there are, and the service on the `vpn` Node that answers them. */
export interface Dns {
  /** What Nodes need of it. */
  readonly names: PrivateDns
  /** Publishes as if a Cluster were as given; throws what `publish` throws, and the earlier answers stay then (CLU-016). */
  publishAs(call: Call, cluster: ClusterRecord): Promise<void>
  /**
   * Listener, backend and units on the machine, then the names; one round trip when nothing differs. May be repeated.
   * Throws `dns.*`, `cli.*` and the codes of NodeSession.
   */
  ensure(session: NodeSession): Promise<void>
  /** Takes all of it away. May be repeated. */
  remove(session: NodeSession): Promise<void>
  /** Address of each name of a Route as the records make it, for a question of this Node; none without a private network. */
  answersTo(nodeId: number): Promise<ReadonlyMap<string, string>>
  /** Part of the footprint of the `vpn` Node (NODE-120). */
  readonly artifact: NodeArtifact
  /** Its part of the family `role`. */
  readonly checks: FamilyChecks
}
