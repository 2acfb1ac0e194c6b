import type { NodeRecord } from '#/nodes/record.ts'
import type { NodeData, NodeIdentity, RoleAssignmentData } from '@fleet/contract'
import type { Row } from '@fleet/store'

/** The only way of a Node out: what is not named here stays inside (NODE-019). */
export const presentNode = (node: NodeRecord): NodeData => ({
  id: node.id,
  cluster_id: node.cluster_id,
  name: node.name,
  status: node.status,
  platform: node.platform,
  architecture: node.architecture,
  tld: node.tld,
  public_ssh_host: node.public_ssh_host,
  public_ssh_port: node.public_ssh_port,
  user: node.user,
  wireguard_ip: node.wireguard_ip,
  wireguard_public_key: node.wireguard_public_key,
  wireguard_endpoint_override: node.wireguard_endpoint_override,
  dns_server_override: node.dns_server_override,
  lan_ip: node.lan_ip,
  ssh_host_fingerprint: node.ssh_host_fingerprint,
  failed_step: node.failed_step,
  error_code: node.error_code,
  roles: [...node.activeRoles],
  settings: node.apps_path === null ? null : { apps: { path: node.apps_path } },
  updating: node.updating,
})

export const identityOf = ({ id, name }: NodeIdentity): NodeIdentity => ({ id, name })

/** The member `node` of the details of an error. */
export const nodeDetail = (node: NodeIdentity): { readonly node: NodeIdentity } => ({
  node: identityOf(node),
})

export const presentRole = (role: Row<'node_roles'>): RoleAssignmentData => ({
  id: role.id,
  role: role.role,
  status: role.status,
  failed_step: role.failed_step,
  error_code: role.error_code,
})
