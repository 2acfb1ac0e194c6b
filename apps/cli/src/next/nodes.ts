import { openPublicSsh } from '@fleet/contract/console-commands'
import type { NextSteps } from './step.ts'
import {
  AGAIN,
  ANOTHER_GATEWAY,
  CONVERGE,
  DOCTOR,
  FREE_SPACE,
  GONE,
  NEW_HOST_KEY,
  SAME_COMMAND,
  SILENT,
} from './words.ts'

const ADD_AGAIN =
  'fleet node:show NODE shows what is recorded. Run fleet node:add with these values, or remove the Node first: fleet node:remove NODE'

/** Nodes, their enrollment and removal, and what Fleet installs on them. */
export const nodeSteps = {
  'node.not_found': 'fleet node:list shows the Nodes.',
  'node.not_active':
    'fleet node:show NODE shows its status and the step that failed. Run fleet node:add again to finish an enrollment, fleet node:remove NODE to finish a removal.',
  'node.name_taken': 'fleet node:list shows the names that are in use.',
  'node.ssh_host_key_missing': `Pin it by enrolling the machine again: fleet node:add NODE --host-key-fingerprint FINGERPRINT. ${AGAIN}`,
  'node.output_too_large':
    'Ask for less, for example fewer lines. fleet doctor:run --node NODE shows whether the machine is in order.',
  'node.settings_root_failed':
    'details says what the Node refused. Create the directory for the managed user there, or choose another: fleet help node:settings',
  'node.user_change_unsupported': ADD_AGAIN,
  'node.converge_conflict': ADD_AGAIN,
  'node.platform_mismatch': 'Leave out --platform, or name the right machine.',
  'node.architecture_mismatch': 'Leave out --architecture, or name the right machine.',
  'node.ssh_host_key_changed': `Find out why the host key changed before you trust the machine again. ${NEW_HOST_KEY}`,
  'node.ssh_host_fingerprint_required':
    'Read the fingerprint on the console of the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub. Over a network that you trust: ssh-keyscan -t ed25519 HOST | ssh-keygen -lf -',
  'node.ssh_host_key_mismatch':
    'Make sure that it is the right machine. On its console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
  'node.ssh_host_key_scan_failed': `Check that its SSH server answers: ssh-keyscan -t ed25519 HOST. On a machine that is or was a Node the firewall may be in the way: on its console, with the port of its SSH server, ${openPublicSsh(22)}. ${AGAIN}`,
  'node.authentication_failed':
    'Add the line that fleet gateway:ssh-key prints to ~/.ssh/authorized_keys of the user that the message names. If it is there, the SSH server may not admit that user: sshd -T on the machine shows AllowUsers and PermitRootLogin. Then run the same command again.',
  'node.unreachable': SILENT,
  'node.connection_lost': SILENT,
  'node.bootstrap_failed': `Fix the cause on the machine. ${SAME_COMMAND}`,
  'node.capability_missing':
    'This needs an installed gateway with a private network; the embedded fleet has none.',
  'node.has_roles':
    'List them with fleet node:role:list NODE, then remove each: fleet node:role:remove NODE ROLE. If the machine is lost for good, run the same command with --offline --force instead.',
  'node.has_firewall_rules':
    'List them with fleet node:firewall:list NODE, then remove each: fleet node:firewall:remove NODE NAME (with --offline if the machine is lost for good)',
  'node.has_instances':
    'List them with fleet instance:list, then remove each: fleet instance:destroy INSTANCE (with --offline --force if the machine is lost for good)',
  'node.has_routes':
    'List them with fleet route:list, then remove each: fleet route:destroy ROUTE (with --offline if the machine is lost for good)',
  'node.has_processes':
    'List them with fleet process:list, then remove each: fleet process:destroy PROCESS (with --offline if the machine is lost for good)',
  'node.has_database_servers':
    'List them with fleet database:server:list and their databases with fleet database:server:show SLUG, then remove each database (fleet database:destroy SLUG) and each server: fleet database:server:destroy SLUG (both with --offline if the machine is lost for good)',
  'node.gateway_removal_forbidden': ANOTHER_GATEWAY,
  'node.vpn_removal_forbidden':
    'The role vpn cannot be moved, so this Node stays as long as the fleet does. fleet node:role:list NODE shows its other roles.',
  'node.confirmation_required': GONE,
  'node.self_removal_forbidden': 'Run the same command on another Node, for example the gateway.',
  'node.tld_required': 'Specify one, for example --tld test',
  'node_role.not_found': 'fleet node:role:list NODE shows its roles.',
  'node_role.in_use':
    'details says what depends on it. fleet instance:list, fleet route:list and fleet database:server:list show the records; remove or move them first.',
  'node_role.packages_unavailable': `On the Node: apt-get update, and check the sources below /etc/apt. ${SAME_COMMAND}`,
  'node_role.directory_unsafe': `Mend the directory on the Node as the message says. ${SAME_COMMAND}`,
  'node_role.relocation_incomplete': 'Complete it: fleet node:role:relocate NODE ROLE --from FORMER',
  'node_role.disk_full': FREE_SPACE,
  'cli.disk_full': FREE_SPACE,
  'cli.architecture_unsupported':
    'fleet node:show NODE shows the architecture. Use a machine of another one.',
  'cli.candidate_invalid': DOCTOR,
  'cli.foreign_binary': `Move that program away on the Node. ${AGAIN}`,
  'agent.not_configured': 'Only an installed gateway has a private network: see the guide to install one.',
  'agent.secret_required': 'This endpoint is for the agent of a Node, which has its secret.',
  'agent.secret_invalid': `The agent of this Node has an old secret: ${CONVERGE}`,
  'agent.node_ineligible': 'Agents run on managed Linux Nodes: fleet node:list shows the platform of each.',
  'agent.channel_forbidden': 'An agent signs its own channels alone, which have the id of its Node.',
} as const satisfies NextSteps
