import * as z from 'zod'
import { joinErrors } from '../network/errors.ts'
import { operation } from '../operation.ts'
import { movedRouteErrors } from '../routes/errors.ts'
import { filledText, id, registryName } from '../params.ts'
import { commandErrors } from './errors.ts'
import {
  hostKeyFingerprint,
  ipAddress,
  nodeTld,
  publicSshHost,
  publicSshPort,
  roleList,
  wireguardEndpoint,
} from './members.ts'
import { nodeAddition } from './records.ts'

export const nodeAdd = operation({
  name: 'node:add',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes',
  access: 'gateway',
  input: z.strictObject({
    name: registryName.describe('Name of the Node: a new name to enroll, an existing one to converge.'),
    public_ssh_host: publicSshHost
      .optional()
      .describe('Host name or address of its SSH server. Required for a new Node.'),
    public_ssh_port: publicSshPort.optional().describe('Default for a new Node: 22.'),
    host_key_fingerprint: hostKeyFingerprint
      .nullable()
      .optional()
      .describe(
        'Approved fingerprint of its SSH host key, as printed by `ssh-keygen -lf`. Required for a new Node.',
      ),
    roles: roleList.optional().describe('Roles to assign.'),
    tld: nodeTld.nullable().optional().describe('Top-level domain of its development sites.'),
    cluster_id: id.nullable().optional().describe('Cluster to join.'),
    user: filledText(64)
      .optional()
      .describe(
        'User of the first login. Default: `root` for a new Node, the managed user for an existing one.',
      ),
    fleet_user: z
      .string()
      .max(64)
      .optional()
      .describe(
        'Managed user of a new Node, created if missing. It may become root without a password, so a user that the machine has already is used only where this names it. Default: `fleet`.',
      ),
    platform: z.enum(['linux', 'macos']).optional().describe('Default: `linux`.'),
    architecture: filledText(64)
      .nullable()
      .optional()
      .describe('Expected architecture, such as `x86_64`. A machine that reports another one is refused.'),
    wireguard_ip: z.ipv4().nullable().optional().describe('Tunnel address. Default: the lowest free one.'),
    wireguard_endpoint_override: wireguardEndpoint
      .nullable()
      .optional()
      .describe('Endpoint of the hub for this Node: `IPv4:port`, `host:port` or `[IPv6]:port`.'),
    dns_server_override: ipAddress
      .nullable()
      .optional()
      .describe('DNS server for all names outside the fleet.'),
    lan_ip: z.ipv4().nullable().optional().describe('Address in the local network of its Cluster.'),
    settings: z
      .unknown()
      .optional()
      .describe('Object with one member, `apps`, which contains `path` or is null.'),
  }),
  output: nodeAddition,
  creates: true,
  watchable: true,
  errors: [
    'node.capability_missing',
    'node.invalid_linux_user',
    'node.user_change_unsupported',
    'node.platform_unsupported',
    'node.platform_mismatch',
    'node.ssh_host_fingerprint_required',
    'node.ssh_host_key_scan_failed',
    'node.ssh_host_key_mismatch',
    'node.bootstrap_failed',
    'node.fleet_ssh_failed',
    'node.architecture_unavailable',
    'node.architecture_mismatch',
    'node.tld_required',
    'node.converge_conflict',
    'node.has_instances',
    'node.tool_manager_locked',
    'node.role_conflict',
    'node.role_convergence_failed',
    'node.agent_install_failed',
    'node.provisioning_failed',
    'node.settings_invalid',
    'node.settings_path_invalid',
    'node.settings_path_protected',
    'node.settings_path_managed',
    'node.settings_root_failed',
    'node.provisioning_busy',
    'route.reconciliation_required',
    'route.tld_required',
    ...movedRouteErrors,
    'cluster.not_found',
    'cluster.membership_conflict',
    'cluster.lan_ip_conflict',
    'cluster.router_required',
    'cluster.router_busy',
    'vpn.address_invalid',
    'vpn.address_taken',
    'vpn.range_exhausted',
    ...joinErrors,
    ...commandErrors,
  ],
  positional: ['name', 'public_ssh_host'],
  summary: 'Enroll a machine as a Node, or converge an existing Node',
  description:
    'First compares the SSH host key with the approved fingerprint; then prepares the machine over the first login, adds it to the private network, assigns its roles and installs the agent. Every step can be repeated: the same request resumes an enrollment that failed or was interrupted. A firewall is turned on that closes every port of the machine to all but SSH and the private network: where none was on before, `follow_up` lists the ports on which programs listen, each with the command that opens it again. Ports that containers publish bypass it. For an existing Node the request converges it, and the Node keeps its record if a step fails. On a Node with Instances, only `tld` can be changed; their generated domains follow, and the old ones are withdrawn after 31 s.',
})
