import type { ErrorSpec } from '@fleet/kernel'

/** Codes of enrolling, converging and retargeting a Node (facts 3.10, 3.15). */
export const enrolmentErrors = {
  'node.invalid_linux_user': {
    status: 422,
    message: 'Not a Linux user name that Fleet can manage: lowercase, at most 32 characters, not root.',
    retry: 'change',
  },
  'node.user_change_unsupported': {
    status: 409,
    message: 'The managed user of a recorded Node cannot be changed.',
    retry: 'change',
  },
  'node.platform_unsupported': {
    status: 422,
    message: 'This operation does not support this platform.',
    retry: 'change',
  },
  'node.platform_mismatch': {
    status: 409,
    message: 'The machine runs a different platform from the one in the request or the record.',
    retry: 'change',
  },
  'node.ssh_host_fingerprint_required': {
    status: 422,
    message: 'No SSH host key is pinned yet: the request must contain its approved fingerprint.',
    retry: 'change',
  },
  'node.ssh_host_key_scan_failed': {
    status: 502,
    message: 'The SSH host key of the machine could not be read.',
    retry: 'wait',
  },
  'node.ssh_host_key_mismatch': {
    status: 409,
    message: 'The SSH host key of the machine does not match the approved fingerprint, so nothing was sent.',
    retry: 'change',
  },
  'node.bootstrap_failed': {
    status: 502,
    message: 'The machine could not be prepared over the first login.',
    retry: 'repeat',
  },
  'node.fleet_ssh_failed': {
    status: 502,
    message: 'The managed user could not log in.',
    retry: 'repeat',
  },
  'node.architecture_unavailable': {
    status: 502,
    message: 'The machine did not report its architecture.',
    retry: 'repeat',
  },
  'node.architecture_mismatch': {
    status: 409,
    message: 'The machine has a different architecture from the one in the request or the record.',
    retry: 'change',
  },
  'node.tld_required': {
    status: 422,
    message: 'An app-dev Node needs its own top-level domain or that of its active Cluster.',
    retry: 'change',
  },
  'node.converge_conflict': {
    status: 409,
    message: 'The Node is recorded with different values, which this operation cannot change.',
    retry: 'change',
  },
  'node.has_instances': { status: 409, message: 'The Node still has Instances.', retry: 'none' },
  'node.tool_manager_locked': {
    status: 409,
    message: 'Another operation, or the system itself, is using the package manager of the Node.',
    retry: 'wait',
  },
  'node.role_convergence_failed': {
    status: 502,
    message: 'A step of a role failed during the enrollment. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'node.agent_install_failed': {
    status: 502,
    message: 'The agent could not be installed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'node.provisioning_failed': {
    status: 502,
    message: 'A step of the enrollment failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'node.public_ssh_host_invalid': {
    status: 422,
    message: 'The public SSH host must be a host name or an address.',
    retry: 'change',
  },
  'node.public_ssh_port_invalid': {
    status: 422,
    message: 'A port must be between 1 and 65535.',
    retry: 'change',
  },
  'node.retarget_requires_vpn': {
    status: 409,
    message: 'A Node with roles is retargeted over its tunnel, and the tunnel does not answer.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
