import type { ErrorSpec } from '@fleet/kernel'

export const firewallErrors = {
  'firewall.not_found': {
    status: 404,
    message: 'The Node has no firewall rule of this name.',
    retry: 'change',
  },
  'firewall.name_taken': {
    status: 409,
    message: 'Another firewall rule of the Node has this name.',
    retry: 'change',
  },
  'firewall.action_conflict': {
    status: 409,
    message: 'Another rule of the Node with the same source, protocol and port has the opposite action.',
    retry: 'change',
  },
  'firewall.public_ssh_deny_forbidden': {
    status: 409,
    message: 'The rule would close a port that the gateway needs to reach its Nodes.',
    retry: 'change',
  },
  'firewall.deny_without_effect': {
    status: 409,
    message:
      'The denial would have no effect: a rule of Fleet comes first and admits the same traffic. Members of the private network can always reach each other.',
    retry: 'change',
  },
  'firewall.rule_collision': {
    status: 409,
    message:
      'The Node already has firewall rules with the comment of this name but other values. Remove them there first.',
    retry: 'none',
  },
  'firewall.account_unknown': {
    status: 422,
    message: 'The Node has no account of one of these names. Create it there first, or name another.',
    retry: 'change',
  },
  'firewall.backend_inactive': {
    status: 409,
    message: 'The firewall of the Node is not active.',
    retry: 'none',
  },
  'firewall.operation_busy': {
    status: 409,
    message: 'Another operation is changing the firewall rules of this Node.',
    retry: 'wait',
  },
  'firewall.platform_unsupported': {
    status: 422,
    message: 'The platform of the Node has no firewall that supports this rule.',
    retry: 'none',
  },
  'firewall.node_unreachable': { status: 502, message: 'The Node does not answer over SSH.', retry: 'wait' },
  'firewall.apply_failed': {
    status: 502,
    message: 'The firewall rule could not be added on the Node. Repeat the request to complete it.',
    retry: 'repeat',
  },
  'firewall.verify_failed': {
    status: 502,
    message:
      "The rule was written, but the Node's firewall does not list it. Repeat the request to complete it.",
    retry: 'repeat',
  },
  'firewall.remove_failed': {
    status: 502,
    message: 'The firewall rule could not be removed on the Node. Repeat the request to complete it.',
    retry: 'repeat',
  },
  'firewall.remove_verify_failed': {
    status: 502,
    message:
      "The rule was removed, but the Node's firewall still lists it. Repeat the request to complete it.",
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
