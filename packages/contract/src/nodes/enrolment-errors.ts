import type { ErrorSpec } from '@fleet/kernel'

/** Codes of enrolling, converging and retargeting a Node (facts 3.10, 3.15). */
export const enrolmentErrors = {
  'node.invalid_linux_user': {
    status: 422,
    message:
      'Not the name of a Linux user that Fleet may manage: lowercase, at most 32 characters, not root.',
    retry: 'change',
  },
  'node.user_change_unsupported': {
    status: 409,
    message: 'The managed user of a recorded Node does not change.',
    retry: 'change',
  },
  'node.platform_unsupported': {
    status: 422,
    message: 'This platform is not supported here.',
    retry: 'change',
  },
  'node.platform_mismatch': {
    status: 409,
    message: 'The machine runs another platform than the request or the record says.',
    retry: 'change',
  },
  'node.ssh_host_fingerprint_required': {
    status: 422,
    message: 'Name the approved fingerprint of the SSH host key: nothing is pinned yet.',
    retry: 'change',
  },
  'node.ssh_host_key_scan_failed': {
    status: 502,
    message: 'The SSH host key of the machine could not be read.',
    retry: 'wait',
  },
  'node.ssh_host_key_mismatch': {
    status: 409,
    message: 'The machine presents another SSH host key than the approved one, so nothing was sent.',
    retry: 'change',
  },
  'node.bootstrap_failed': {
    status: 502,
    message: 'The machine could not be prepared with the bootstrap login.',
    retry: 'repeat',
  },
  'node.fleet_ssh_failed': {
    status: 502,
    message: 'The managed user could not log in.',
    retry: 'repeat',
  },
  'node.architecture_unavailable': {
    status: 502,
    message: 'The machine does not tell its architecture.',
    retry: 'repeat',
  },
  'node.architecture_mismatch': {
    status: 409,
    message: 'The machine has another architecture than the request or the record says.',
    retry: 'change',
  },
  'node.tld_required': {
    status: 422,
    message: 'An app-dev Node needs a top-level domain of its own or of its active Cluster.',
    retry: 'change',
  },
  'node.converge_conflict': {
    status: 409,
    message: 'The Node is recorded with other values, which this operation does not change.',
    retry: 'change',
  },
  'node.has_instances': { status: 409, message: 'The Node owns Instances.', retry: 'none' },
  'node.tool_manager_locked': {
    status: 409,
    message: 'Another operation, or the system itself, holds the package manager of the Node.',
    retry: 'wait',
  },
  'node.role_convergence_failed': {
    status: 502,
    message: 'A step of a role failed while the Node was enrolled. The identical request goes on from there.',
    retry: 'repeat',
  },
  'node.agent_install_failed': {
    status: 502,
    message: 'The agent could not be installed. The identical request goes on from there.',
    retry: 'repeat',
  },
  'node.provisioning_failed': {
    status: 502,
    message: 'A step of the enrolment failed. The identical request goes on from there.',
    retry: 'repeat',
  },
  'node.public_ssh_host_invalid': {
    status: 422,
    message: 'Not a host name or an address.',
    retry: 'change',
  },
  'node.public_ssh_port_invalid': { status: 422, message: 'A port is 1 to 65535.', retry: 'change' },
  'node.retarget_requires_vpn': {
    status: 409,
    message: 'A Node with roles is retargeted over its tunnel, which does not answer.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
