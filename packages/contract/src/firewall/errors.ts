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
    message: 'A rule of the Node with the same source, protocol and port does the opposite.',
    retry: 'change',
  },
  'firewall.public_ssh_deny_forbidden': {
    status: 409,
    message: 'The rule would close a port by which the gateway reaches its Nodes.',
    retry: 'change',
  },
  'firewall.deny_without_effect': {
    status: 409,
    message:
      'The denial would keep nothing out: a rule of Fleet, which is tried first, admits all that it names. Members of the private network always reach each other.',
    retry: 'change',
  },
  'firewall.rule_collision': {
    status: 409,
    message:
      'Rules on the Node carry the comment of this name and say something else. Remove them there first.',
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
    message: 'Another operation changes the firewall rules of this Node.',
    retry: 'wait',
  },
  'firewall.platform_unsupported': {
    status: 422,
    message: 'The platform of the Node has no firewall for this rule.',
    retry: 'none',
  },
  'firewall.node_unreachable': { status: 502, message: 'The Node does not answer over SSH.', retry: 'wait' },
  'firewall.apply_failed': {
    status: 502,
    message: 'The Node could not take the firewall rule. The identical request finishes it.',
    retry: 'repeat',
  },
  'firewall.verify_failed': {
    status: 502,
    message:
      'The firewall of the Node does not show the rule just written. The identical request finishes it.',
    retry: 'repeat',
  },
  'firewall.remove_failed': {
    status: 502,
    message: 'The Node could not remove the firewall rule. The identical request finishes it.',
    retry: 'repeat',
  },
  'firewall.remove_verify_failed': {
    status: 502,
    message: 'The firewall of the Node still shows the rule just removed. The identical request finishes it.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
