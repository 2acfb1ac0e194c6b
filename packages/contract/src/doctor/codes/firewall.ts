import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `firewall` (DRF-057, DRF-058). */
export const firewallCodes = {
  'firewall.backend_inactive': {
    kind: 'drift',
    summary: 'The firewall of the Node is off or absent.',
    repair: 'Enroll the Node again under its name: it opens SSH first, then turns the firewall on.',
    command: 'node:add {node_name}',
  },
  'firewall.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The rule is stored but not active.',
    repair: 'Repeat the request that did not end: adding it with the same values, or removing it.',
    command: 'node:firewall:list {node}',
  },
  'firewall.rule_missing': {
    kind: 'drift',
    summary: 'The rule is stored, and the live firewall does not have it.',
    repair: 'Enroll the Node again under its name: it writes the rules of the records.',
    command: 'node:add {node_name}',
  },
  'firewall.rule_mismatch': {
    kind: 'drift',
    summary: 'The live rule has other values than the record.',
    repair: 'Enroll the Node again under its name: it writes the rules of the records.',
    command: 'node:add {node_name}',
  },
  'firewall.callers_mismatch': {
    kind: 'drift',
    summary: 'The machine does not limit who may call the gateway as the record says.',
    repair:
      'Converge the Node: it puts the limit in force. An account that is gone is named again or left out.',
    command: 'node:converge {node} --force',
  },
  'firewall.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The Node does not answer, so its firewall could not be checked.',
    repair: 'Bring the machine and its tunnel back, then repeat the check.',
    command: 'doctor:run --node {node}',
  },
  'firewall.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the firewall could not be made.',
    repair: 'Repeat the check; if it stays, look at the machine itself.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`firewall.${string}`, DoctorCodeSpec>
