import type { LanAccess } from '#/firewall/lan-access.ts'
import type { DoctorCode, RoleName } from '@fleet/contract'
import type { Check, CheckedResource, NodeRecord } from '#/nodes/api.ts'
import type { NodeFirewall } from '#/firewall/node-firewall.ts'

/** What other domains may ask of firewalls. */
export interface Firewall {
  /** Rules that Fleet keeps for itself, as enrolment, roles and removal need them. */
  readonly onNodes: NodeFirewall
  /** Rules between the Routers and members of a Cluster. */
  readonly lan: LanAccess
  /** Whether the members of the tunnel reach the Node; none where Fleet keeps no firewall. */
  memberCheck(code: DoctorCode, resource: CheckedResource, node: NodeRecord): Promise<readonly Check[]>
  /** Whether the firewall of the Node is active and has every rule of its role; none where Fleet keeps no firewall. */
  roleCheck(
    code: DoctorCode,
    resource: CheckedResource,
    node: NodeRecord,
    role: RoleName,
  ): Promise<readonly Check[]>
  /** Rules that operators made on the Node, whatever their status. */
  countRules(nodeId: number): Promise<number>
}
