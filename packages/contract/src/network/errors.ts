import type { ErrorSpec } from '@fleet/kernel'

/** Refusals and faults of the private network; those of a Node's tunnel name the Node in `details.node`. */
export const networkErrors = {
  'vpn.address_invalid': {
    status: 422,
    message: 'The tunnel address is not a free host address of the private network.',
    retry: 'change',
  },
  'vpn.address_taken': { status: 409, message: 'Another Node has this tunnel address.', retry: 'change' },
  'vpn.range_exhausted': {
    status: 409,
    message: 'The private network has no free address.',
    retry: 'none',
  },
  'vpn.configuration_invalid': {
    status: 409,
    message: 'The records do not give a valid tunnel configuration.',
    retry: 'change',
  },
  'vpn.server_missing': {
    status: 409,
    message: "No Node is the hub of the private network, or the hub's key is not known yet.",
    retry: 'none',
  },
  'vpn.server_endpoint_missing': {
    status: 409,
    message:
      'The endpoint of the hub is unknown: neither an endpoint nor a public host of the `vpn` Node is stored.',
    retry: 'change',
  },
  'vpn.server_config_install_failed': {
    status: 502,
    message:
      'The configuration of the hub could not be installed. A hub that was running continues with the previous one.',
    retry: 'repeat',
  },
  'vpn.publication_busy': {
    status: 409,
    message: 'Another operation is publishing the peers of the private network.',
    retry: 'wait',
  },
  'vpn.tools_missing': {
    status: 502,
    message: 'The machine lacks wg or wg-quick.',
    retry: 'none',
  },
  'vpn.peer_address_missing': { status: 409, message: 'The Node has no tunnel address.', retry: 'none' },
  'vpn.peer_key_failed': {
    status: 502,
    message: 'The machine could not create or read the key of its tunnel.',
    retry: 'repeat',
  },
  'vpn.peer_config_install_failed': {
    status: 502,
    message: 'The tunnel configuration could not be written on the machine. The previous one is unchanged.',
    retry: 'repeat',
  },
  'vpn.peer_start_failed': {
    status: 502,
    message: 'The tunnel of the machine does not start. A tunnel that was running before is restored.',
    retry: 'repeat',
  },
  'vpn.peer_handshake_failed': {
    status: 502,
    message: 'The hub does not answer the machine: its UDP port may be closed, or the endpoint may be wrong.',
    retry: 'repeat',
  },
  'vpn.peer_ssh_failed': {
    status: 502,
    message: 'The Node does not answer over SSH on its tunnel address with the pinned key.',
    retry: 'repeat',
  },
  'vpn.peer_recovery_pending': {
    status: 409,
    message: 'A change of the tunnel was interrupted on the machine. Converge the Node with `--force` first.',
    retry: 'none',
  },
  'vpn.peer_dns_busy': {
    status: 409,
    message: 'Another operation is changing the tunnel or its resolver on the machine.',
    retry: 'wait',
  },
  'vpn.peer_dns_state_unsupported': {
    status: 409,
    message:
      'The machine has no running systemd-resolved, or a stored resolver state that Fleet did not write.',
    retry: 'none',
  },
  'vpn.peer_dns_candidate_invalid': {
    status: 502,
    message: 'The machine rejected the new tunnel configuration. The previous one is unchanged.',
    retry: 'none',
  },
  'vpn.peer_dns_apply_failed': {
    status: 502,
    message: 'The resolver of the machine could not be configured. The previous configuration was restored.',
    retry: 'repeat',
  },
  'vpn.peer_dns_recovery_failed': {
    status: 502,
    message:
      'The resolver of the machine could not be configured, and the previous configuration could not be restored.',
    retry: 'repeat',
  },
  'vpn.peer_dns_repair_failed': {
    status: 502,
    message: 'The resolver of the machine could not be repaired.',
    retry: 'repeat',
  },
  'node.dns_repair_missing': { status: 404, message: 'No Node has this name.', retry: 'change' },
  'node.dns_repair_inactive': { status: 409, message: 'The Node is not active.', retry: 'none' },
  'node.dns_repair_operator_owned': {
    status: 409,
    message: 'A Node without roles keeps its own DNS, so there is nothing to repair.',
    retry: 'none',
  },
  'node.dns_repair_vpn_server': {
    status: 409,
    message: 'The hub of the private network is not a peer, so its resolver cannot be repaired this way.',
    retry: 'none',
  },
  'node.dns_repair_platform_unsupported': {
    status: 422,
    message: 'Fleet manages DNS on Linux Nodes only.',
    retry: 'none',
  },
  'node.dns_repair_identity_missing': {
    status: 409,
    message: 'The Node lacks its tunnel address, tunnel key or pinned host key.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>

/** What joining the private network can answer besides the codes of a command on a Node. */
export const joinErrors = [
  'vpn.configuration_invalid',
  'vpn.server_missing',
  'vpn.server_endpoint_missing',
  'vpn.server_config_install_failed',
  'vpn.publication_busy',
  'vpn.tools_missing',
  'vpn.peer_address_missing',
  'vpn.peer_key_failed',
  'vpn.peer_config_install_failed',
  'vpn.peer_start_failed',
  'vpn.peer_handshake_failed',
  'vpn.peer_ssh_failed',
  'vpn.peer_dns_busy',
  'vpn.peer_dns_state_unsupported',
  'vpn.peer_dns_apply_failed',
] as const satisfies readonly (keyof typeof networkErrors)[]

/** What setting the resolver of a peer can answer besides the codes of a command on a Node. */
export const resolverErrors = [
  'vpn.configuration_invalid',
  'vpn.server_missing',
  'vpn.server_endpoint_missing',
  'vpn.tools_missing',
  'vpn.peer_address_missing',
  'vpn.peer_key_failed',
  'vpn.peer_config_install_failed',
  'vpn.peer_recovery_pending',
  'vpn.peer_dns_busy',
  'vpn.peer_dns_state_unsupported',
  'vpn.peer_dns_candidate_invalid',
  'vpn.peer_dns_apply_failed',
  'vpn.peer_dns_recovery_failed',
  'vpn.peer_dns_repair_failed',
] as const satisfies readonly (keyof typeof networkErrors)[]
