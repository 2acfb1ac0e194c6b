import * as z from 'zod'
import { joinErrors } from '../network/errors.ts'
import { operation } from '../operation.ts'
import { id, registryName } from '../params.ts'
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
import { node } from './records.ts'

export const nodeAdd = operation({
  name: 'node:add',
  group: 'Nodes',
  method: 'POST',
  path: '/nodes',
  access: 'gateway',
  input: z.strictObject({
    name: registryName.describe('Name of the Node; of a recorded one to converge it.'),
    public_ssh_host: publicSshHost
      .optional()
      .describe('Host name or address under which its SSH is reached now. Needed for a new Node.'),
    public_ssh_port: publicSshPort.optional().describe('22 for a new Node when absent.'),
    host_key_fingerprint: hostKeyFingerprint
      .nullable()
      .optional()
      .describe(
        'Approved fingerprint of its SSH host key, as `ssh-keygen -lf` prints it. Needed for a new Node.',
      ),
    roles: roleList.optional().describe('Roles that it is to have.'),
    tld: nodeTld.nullable().optional().describe('Top-level domain of its development sites.'),
    cluster_id: id.nullable().optional().describe('Cluster that it joins.'),
    user: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('User of the first login: root for a new Node, its managed user for a recorded one.'),
    fleet_user: z
      .string()
      .max(64)
      .optional()
      .describe('Managed user of a new Node, made when missing; `fleet` when absent.'),
    platform: z.enum(['linux', 'macos']).optional().describe('`linux` when absent.'),
    architecture: z
      .string()
      .min(1)
      .max(64)
      .nullable()
      .optional()
      .describe('Refuses a machine that says another one, such as `x86_64`.'),
    wireguard_ip: z.ipv4().nullable().optional().describe('Tunnel address; a free one when absent.'),
    wireguard_endpoint_override: wireguardEndpoint
      .nullable()
      .optional()
      .describe('Where this Node reaches the hub: `IPv4:port`, `host:port` or `[IPv6]:port`.'),
    dns_server_override: ipAddress
      .nullable()
      .optional()
      .describe('DNS server for everything but the fleet’s own names.'),
    lan_ip: z.ipv4().nullable().optional().describe('Address in the local network of its Cluster.'),
    settings: z
      .unknown()
      .optional()
      .describe('Object with the one member `apps`, which holds `path` or is null.'),
  }),
  output: node,
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
    'node.lock_lost',
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
  summary: 'Enroll a machine as a Node, or converge a recorded one',
  description:
    'Compares the host key with the approved fingerprint before anything else, prepares the machine by the first login, joins it to the private network, gives it its roles and installs the agent. Every step may be repeated: the identical request goes on with an enrolment that failed or was cut off. The same request converges a recorded Node, which keeps its record when a step fails; one that owns Instances takes a changed `tld` alone.',
})
