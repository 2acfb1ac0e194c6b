import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `node` (DRF-016 to DRF-028). */
export const nodeCodes = {
  'node.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The Node is not active.',
    repair: 'Repeat the enrolment that did not end; the record names its step and code.',
    command: 'node:add {node_name}',
  },
  'node.ssh_unreachable': {
    kind: 'unverifiable',
    summary: 'The Node does not answer a fresh SSH connection over the tunnel.',
    repair:
      'Bring the machine back, then converge the Node: it repairs tunnel and firewall over the public SSH address where that is open. If the machine is gone for good, remove each of its Instances (`fleet instance:destroy INSTANCE --offline --force`), then the Node (`fleet node:remove NODE --offline --force`).',
    command: CONVERGE,
  },
  'node.ssh_connection_refused': {
    kind: 'unverifiable',
    summary: 'The machine answers over the tunnel, but nothing listens on its SSH port.',
    repair:
      'Start the SSH server on the console of the machine (`systemctl start ssh`), then repeat the check.',
    command: 'doctor:run --node {node}',
  },
  'node.ssh_key_refused': {
    kind: 'unverifiable',
    summary: 'The Node refuses the SSH key of the gateway.',
    repair:
      "Add the gateway's public key to the `authorized_keys` of the Node's user on the console of the machine. The command prints the key.",
    command: 'gateway:ssh-key',
  },
  'node.ssh_host_key_changed': {
    kind: 'unverifiable',
    summary: 'The host key of the Node is not the pinned one, so the gateway sends nothing to it.',
    repair:
      'Compare the key on the console of the machine with the pinned one, which the command prints. The same machine: put its host key back. Installed anew: remove the Node with `--offline`, then enroll it again. Neither: something else answers at its address.',
    command: 'node:show {node}',
  },
  'node.platform_mismatch': {
    kind: 'drift',
    summary: 'The machine runs another platform than the record says.',
    repair: 'Remove the Node and enroll the machine anew.',
    command: 'node:remove {node}',
  },
  'node.architecture_mismatch': {
    kind: 'drift',
    summary: 'The machine has another architecture than the record says.',
    repair: 'Remove the Node and enroll the machine anew.',
    command: 'node:remove {node}',
  },
  'node.wireguard_ip_mismatch': {
    kind: 'drift',
    summary: 'The tunnel interface of the Node does not have the recorded address.',
    repair:
      'Converge the Node: it writes the tunnel anew, over its public address where the tunnel is silent.',
    command: CONVERGE,
  },
  'node.agent_missing': {
    kind: 'drift',
    summary: 'The agent is not installed.',
    repair: 'Converge the Node: it installs the agent.',
    command: CONVERGE,
  },
  'node.agent_inactive': {
    kind: 'drift',
    summary: 'The agent is installed but does not run.',
    repair: 'Converge the Node: it starts the agent.',
    command: CONVERGE,
  },
  'node.agent_binary_mismatch': {
    kind: 'drift',
    summary: 'The executable that the agent runs is not the one of this release.',
    repair: 'Converge the Node: it puts the executable of this release there.',
    command: CONVERGE,
  },
  'node.agent_secret_mismatch': {
    kind: 'drift',
    summary: "The agent's secret is not the one whose hash the gateway keeps.",
    repair: 'Converge the Node: it writes a new secret.',
    command: CONVERGE,
  },
  'node.agent_view_stale': {
    kind: 'drift',
    summary: 'The gateway has no fresh view of the Node from its agent.',
    repair: 'Converge the Node and look at the `websocket` role.',
    command: CONVERGE,
  },
  'node.release_lag': {
    kind: 'drift',
    summary: 'The Node runs an older release than the fleet should.',
    repair: 'Converge the Node: it puts the executable of this release there.',
    command: CONVERGE,
  },
  'node.cli_foreign': {
    kind: 'drift',
    summary: 'The `fleet` command of the Node is not the one of this fleet.',
    repair:
      'Converge the Node: it keeps the foreign file beside its place, as `fleet.foreign`, and puts its own command there.',
    command: CONVERGE,
  },
  'node.disk_low': {
    kind: 'drift',
    summary: 'Little disk space is left.',
    repair: 'Free space on the Node.',
  },
  'node.route_residue_retained': {
    kind: 'drift',
    summary: 'The Node still serves what was removed while it could not be reached.',
    repair: 'Converge the Node: it takes the rest away.',
    command: CONVERGE,
  },
  'node.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Node could not be made.',
    repair: 'Repeat the check; if it stays, look at the machine itself.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`node.${string}`, DoctorCodeSpec>
