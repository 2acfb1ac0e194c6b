import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `firewall` (DRF-057, DRF-058). */
export const firewallCodes = {
  'firewall.backend_inactive': {
    kind: 'drift',
    summary:
      'The firewall of the Node is off or absent, admits what no rule admits, or is off after the next start of the machine.',
    repair: 'Converge the Node: it restores the recorded rules, then turns the firewall on.',
    command: CONVERGE,
  },
  'firewall.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The rule is stored but not active.',
    repair: 'Converge the Node: it completes the interrupted request, an addition or a removal.',
    command: CONVERGE,
  },
  'firewall.rule_missing': {
    kind: 'drift',
    summary: 'The rule is missing from the live firewall.',
    repair: 'Converge the Node: it restores the recorded rules.',
    command: CONVERGE,
  },
  'firewall.rule_mismatch': {
    kind: 'drift',
    summary: 'The values of the live rule differ from the record.',
    repair: 'Converge the Node: it restores the recorded rules.',
    command: CONVERGE,
  },
  'firewall.callers_mismatch': {
    kind: 'drift',
    summary: 'The machine does not limit who may call the gateway as the record says.',
    repair:
      'Converge the Node: it puts the limit in force, or lifts one that is not recorded. An account that is gone is named again or left out.',
    command: 'node:converge {node} --force',
  },
  'firewall.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so its firewall could not be checked.',
    repair: 'Resolve what the check reports of the Node itself, then run the check again.',
    command: 'doctor:run --node {node}',
  },
  'firewall.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A firewall check could not be completed.',
    repair: 'Run the check again. If it still fails, inspect the machine.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`firewall.${string}`, DoctorCodeSpec>
