import type { ErrorSpec } from '@fleet/kernel'

/** Refusals and faults of the private network; those of a Node's tunnel name the Node in `details.node`. */
export const networkErrors = {
  'vpn.address_invalid': {
    status: 422,
    message: 'The tunnel address is no free host address of the private network.',
    retry: 'change',
  },
  'vpn.address_taken': { status: 409, message: 'Another Node has this tunnel address.', retry: 'change' },
  'vpn.range_exhausted': {
    status: 409,
    message: 'The private network has no address left.',
    retry: 'none',
  },
  'vpn.configuration_invalid': {
    status: 409,
    message: 'The records do not give a valid tunnel configuration.',
    retry: 'change',
  },
  'vpn.server_missing': {
    status: 409,
    message: 'No Node is the hub of the private network, or its key is not known yet.',
    retry: 'none',
  },
  'vpn.server_endpoint_missing': {
    status: 409,
    message: 'No endpoint of the hub is known: neither stored nor as the public host of the `vpn` Node.',
    retry: 'change',
  },
  'vpn.server_config_install_failed': {
    status: 502,
    message: 'The configuration of the hub could not be installed; the hub works with its earlier one.',
    retry: 'repeat',
  },
  'vpn.publication_busy': {
    status: 409,
    message: 'Another operation publishes the peers of the private network.',
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
    message: 'The machine could not make or read the key of its tunnel.',
    retry: 'repeat',
  },
  'vpn.peer_config_install_failed': {
    status: 502,
    message: 'The tunnel configuration could not be written on the machine; the earlier one is as it was.',
    retry: 'repeat',
  },
  'vpn.peer_start_failed': {
    status: 502,
    message: 'The tunnel of the machine does not start; an earlier one was brought back.',
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
    message: 'A change of the tunnel was interrupted on the machine. Converge the Node first.',
    retry: 'none',
  },
  'vpn.peer_dns_busy': {
    status: 409,
    message: 'Another change of the tunnel or its resolver runs on the machine.',
    retry: 'wait',
  },
  'vpn.peer_dns_state_unsupported': {
    status: 409,
    message: 'The machine has no running systemd-resolved, or a stored resolver state that is not Fleet’s.',
    retry: 'none',
  },
  'vpn.peer_dns_candidate_invalid': {
    status: 502,
    message: 'The machine refuses the new tunnel configuration; the earlier one is as it was.',
    retry: 'none',
  },
  'vpn.peer_dns_apply_failed': {
    status: 502,
    message: 'The resolver of the machine could not be set; the earlier setting was brought back.',
    retry: 'repeat',
  },
  'vpn.peer_dns_recovery_failed': {
    status: 502,
    message: 'The resolver of the machine could not be set, nor brought back.',
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
    message: 'A Node without roles keeps its own DNS.',
    retry: 'none',
  },
  'node.dns_repair_vpn_server': {
    status: 409,
    message: 'The hub of the private network is no peer of it.',
    retry: 'none',
  },
  'node.dns_repair_platform_unsupported': {
    status: 422,
    message: 'DNS is managed on Linux Nodes only.',
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
