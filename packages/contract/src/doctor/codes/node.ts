import { ADMIT_MEMBERS } from '../../firewall/console-commands.ts'
import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `node` (DRF-016 to DRF-028). */
export const nodeCodes = {
  'node.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The Node is not active.',
    repair:
      'Run the enrollment of the Node again to resume it. The record names the failed step and the error code.',
    command: 'node:add {node_name}',
  },
  'node.ssh_unreachable': {
    kind: 'unverifiable',
    summary: 'The Node does not answer a new SSH connection over the tunnel.',
    repair: `Bring the machine back online. If it is running, its tunnel or its firewall is in the way: on its console, run \`systemctl restart wg-quick@fleet\`, and if the Node still does not answer, \`${ADMIT_MEMBERS}\`, or \`ufw disable\` for the moment. Then converge the Node: it restores tunnel and firewall. If the machine is lost for good, remove each of its Instances (\`fleet instance:destroy INSTANCE --offline --force\`), then the Node (\`fleet node:remove NODE --offline --force\`).`,
    command: CONVERGE,
  },
  'node.ssh_connection_refused': {
    kind: 'unverifiable',
    summary: 'The machine answers over the tunnel, but nothing listens on its SSH port.',
    repair:
      'Start the SSH server on the console of the machine (`systemctl start ssh`), then run the check again.',
    command: 'doctor:run --node {node}',
  },
  'node.ssh_key_refused': {
    kind: 'unverifiable',
    summary: 'The Node refuses the SSH key of the gateway.',
    repair:
      "On the console of the machine, add the gateway's public key to the `authorized_keys` of the Node's user. The command prints the key.",
    command: 'gateway:ssh-key',
  },
  'node.ssh_host_key_changed': {
    kind: 'unverifiable',
    summary: 'The SSH host key of the Node is not the pinned one, so the gateway sends nothing to it.',
    repair:
      'Compare the host key on the console of the machine (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`) with the pinned one, which the command prints. If it is the same machine with a new key, restore its old one, or pin the new one as the console shows it: `fleet-gateway pin-host-key {node_name} FINGERPRINT` on the gateway; its Instances stay. If it was reinstalled, remove the Node with `--offline`, then enroll it again. Otherwise another machine answers at its address.',
    command: 'node:show {node}',
  },
  'node.platform_mismatch': {
    kind: 'drift',
    summary: 'The platform of the machine differs from the record.',
    repair: 'Remove the Node, then enroll the machine again.',
    command: 'node:remove {node}',
  },
  'node.architecture_mismatch': {
    kind: 'drift',
    summary: 'The architecture of the machine differs from the record.',
    repair: 'Remove the Node, then enroll the machine again.',
    command: 'node:remove {node}',
  },
  'node.wireguard_ip_mismatch': {
    kind: 'drift',
    summary: 'The tunnel interface of the Node does not have the recorded address.',
    repair:
      'Converge the Node: it rewrites the tunnel configuration, over its public address if the tunnel does not answer.',
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
    summary: 'The agent is installed but not running, or does not start at boot.',
    repair: 'Converge the Node: it starts the agent, now and at boot.',
    command: CONVERGE,
  },
  'node.agent_binary_mismatch': {
    kind: 'drift',
    summary: 'The agent runs an executable from another release.',
    repair: 'Converge the Node: it installs the executable of this release.',
    command: CONVERGE,
  },
  'node.agent_secret_mismatch': {
    kind: 'drift',
    summary: "The agent's secret does not match the hash that the gateway stores.",
    repair: 'Converge the Node: it writes a new secret.',
    command: CONVERGE,
  },
  'node.agent_view_stale': {
    kind: 'drift',
    summary: 'The gateway has no current data from the agent of the Node.',
    repair:
      'Converge the Node, and check the `websocket` role. If that does not help, `journalctl -u fleet-agent` on the Node says why; its clock may be wrong (`date -u`).',
    command: CONVERGE,
  },
  'node.root_untrusted': {
    kind: 'drift',
    summary: 'The trust store of the Node does not have the root certificate of the fleet.',
    repair: 'Converge the Node: it installs the root certificate.',
    command: CONVERGE,
  },
  'node.cli_foreign': {
    kind: 'drift',
    summary: 'The `fleet` command on the Node was not installed by this fleet.',
    repair:
      'Converge the Node: it keeps a backup of the foreign file beside it, as `fleet.foreign`, and installs its own command.',
    command: CONVERGE,
  },
  'node.disk_low': {
    kind: 'drift',
    summary: 'Little disk space is left, or few inodes.',
    repair: 'Free space on the Node (`df -h`), or delete files where inodes are short (`df -i`).',
  },
  'node.background_work_failed': {
    kind: 'drift',
    summary: 'Background work failed repeatedly.',
    repair:
      'Resolve the reported error; `fleet activity:list` shows every attempt. Then run `fleet-gateway retry-work` on the gateway.',
  },
  'node.background_work_overdue': {
    kind: 'drift',
    summary: 'Background work is overdue, and no gateway runs it.',
    repair:
      'Restart the gateway (`systemctl restart fleet-gateway`). If the work stays overdue, compare the clocks of the gateways.',
  },
  'node.route_residue_retained': {
    kind: 'drift',
    summary: 'The Node still has something of a Route that was removed while the Node was unreachable.',
    repair:
      'Converge the Node: it removes the residue. Of what it has to skip, its answer names the reason, the path and what helps.',
    command: CONVERGE,
  },
  'node.instance_residue_retained': {
    kind: 'drift',
    summary: 'The Node still has checkouts of Instances that were removed while it was unreachable.',
    repair: 'Converge the Node: it deletes them.',
    command: CONVERGE,
  },
  'node.process_residue_retained': {
    kind: 'drift',
    summary: 'The Node still has units of Processes that were removed while it was unreachable.',
    repair: 'Converge the Node: it stops and removes them.',
    command: CONVERGE,
  },
  'node.database_residue_retained': {
    kind: 'drift',
    summary: 'A database server of the Node still has databases that were removed while it was unreachable.',
    repair: 'Converge the Node: it drops them.',
    command: CONVERGE,
  },
  'node.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Node could not be completed.',
    repair: 'Run the check again. If it still fails, inspect the machine.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`node.${string}`, DoctorCodeSpec>
