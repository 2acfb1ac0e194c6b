import type { DoctorCodeSpec } from './types.ts'

const again = 'node:role:add {node} {role} --converge-existing'
const enroll = 'node:add {node_name}'
const publish = 'node:converge {node} --force'

/** Codes of the family `role` (DRF-029 to DRF-039). */
export const roleCodes = {
  'role.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The role is assigned but not active.',
    repair: 'Converge the role again, or repeat its removal where that is what failed.',
    command: again,
    commandOf: { vpn: enroll },
  },
  'role.claim_stale': {
    kind: 'drift',
    summary: 'A role change was begun long ago and nobody works on it any more.',
    repair: 'Converge the role again: it takes the claim over.',
    command: again,
    commandOf: { vpn: enroll },
  },
  'role.packages_missing': {
    kind: 'drift',
    summary: 'Packages that the role needs are absent.',
    repair: 'Converge the role again: it installs them.',
    command: again,
    commandOf: { vpn: enroll },
  },
  'role.caddy_version_unsupported': {
    kind: 'drift',
    summary: 'The web server is older than what Fleet supports.',
    repair: 'Install Caddy 2.9 or newer on the Node.',
  },
  'role.caddy_build_drift': {
    kind: 'drift',
    summary: 'The live web server file is not the one that the records make.',
    repair: 'Converge the Node: it writes the file anew.',
    command: 'node:converge {node}',
  },
  'role.services_inactive': {
    kind: 'drift',
    summary: 'A service of the role does not run.',
    repair: 'Converge the role again: it starts its services.',
    command: again,
    commandOf: { vpn: publish },
  },
  'role.firewall_projection_mismatch': {
    kind: 'drift',
    summary: 'The firewall rules of the role are not as the role needs them.',
    repair: 'Converge the role again: it writes its rules.',
    command: again,
    commandOf: { vpn: enroll },
  },
  'role.dns_projection_mismatch': {
    kind: 'drift',
    summary: 'The private DNS does not answer what the records say.',
    repair: 'Converge the Node that serves the DNS: it publishes the names anew.',
    command: publish,
  },
  'role.certificate_mismatch': {
    kind: 'drift',
    summary: 'The socket of the role serves no certificate of the fleet, or one that is about to expire.',
    repair: 'Restart the service that serves it: it loads, or is issued, a new one.',
  },
  'role.dns_snippet_conflict': {
    kind: 'drift',
    summary: 'The resolver of the machine is not set up as the fleet needs it.',
    repair:
      'Remove a foreign /etc/wireguard/fleet.dns-link, then enroll the Node again under its name: it sets the tunnel’s link and /etc/resolv.conf, and keeps a replaced list beside it.',
    command: enroll,
  },
  'role.private_dns_route_mismatch': {
    kind: 'drift',
    summary: 'The machine does not ask the private DNS for the names of the fleet.',
    repair:
      'Enroll the Node again under its name: it routes the suffix to the private DNS, and keeps a replaced /etc/resolv.conf beside it.',
    command: enroll,
  },
  'role.vpn_inactive': {
    kind: 'drift',
    summary: 'The hub of the private network is down.',
    repair: 'Enroll the Node again under its name: it brings the hub up.',
    command: enroll,
  },
  'role.vpn_projection_mismatch': {
    kind: 'drift',
    summary: 'The peers of the hub are not those of the records.',
    repair: 'Enroll the Node again under its name: it publishes the peers.',
    command: enroll,
  },
  'role.singleton_conflict': {
    kind: 'drift',
    summary: 'More than one Node holds a role of which there is one.',
    repair: 'Remove the role from the Node that should not have it.',
    command: 'node:role:remove {node} {role}',
  },
  'role.assignment_conflict': {
    kind: 'drift',
    summary: 'The Node holds two roles that never share a Node.',
    repair: 'Remove one of the two roles.',
    command: 'node:role:remove {node} {role}',
  },
  'role.cluster_ownership_mismatch': {
    kind: 'drift',
    summary: 'The Node holds a role of a Cluster to which it does not belong.',
    repair: 'Attach the Node to its Cluster, or remove the role.',
    command: 'node:role:remove {node} {role}',
  },
  'role.cluster_cardinality_conflict': {
    kind: 'drift',
    summary: 'More than one Node of the Cluster holds a role of which a Cluster has one.',
    repair: 'Remove the role from the Node that should not have it.',
    command: 'node:role:remove {node} {role}',
  },
  'role.php_pool_directory_missing': {
    kind: 'drift',
    summary: 'The directory of a PHP pool is missing.',
    repair: 'Converge the role again: it makes the directory.',
    command: again,
  },
  'role.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The Node does not answer, so its roles could not be checked.',
    repair: 'Bring the machine and its tunnel back, then repeat the check.',
    command: 'doctor:run --node {node}',
  },
  'role.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the role could not be made.',
    repair: 'Repeat the check; if it stays, look at the machine itself.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`role.${string}`, DoctorCodeSpec>
