import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `firewall` (DRF-057, DRF-058). */
export const firewallCodes = {
  'firewall.backend_inactive': {
    kind: 'drift',
    summary: 'The firewall of the Node is off or absent.',
    repair: 'Converge the Node: it writes every rule of the records, then turns the firewall on.',
    command: CONVERGE,
  },
  'firewall.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The rule is stored but not active.',
    repair: 'Converge the Node: it finishes the request, whether the rule was being added or removed.',
    command: CONVERGE,
  },
  'firewall.rule_missing': {
    kind: 'drift',
    summary: 'The rule is not in the live firewall.',
    repair: 'Converge the Node: it writes the rules of the records again.',
    command: CONVERGE,
  },
  'firewall.rule_mismatch': {
    kind: 'drift',
    summary: 'The live rule has other values than the record.',
    repair: 'Converge the Node: it writes the rules of the records again.',
    command: CONVERGE,
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
