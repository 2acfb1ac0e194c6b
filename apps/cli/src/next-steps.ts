/** What to do about a refusal or a fault, by its code. Nothing here is needed for a command to work. */

const SAME_COMMAND = 'Then run the same command again: it goes on where it stopped.'

const GONE =
  'If the machine is gone for good: the same command with --offline --force. Else bring it back and repeat.'
const FREE_SPACE = `Free space on the Node. ${SAME_COMMAND}`

/** Programs a person may run next for a code whose advice says too little. */
export const nextSteps: Readonly<Record<string, string>> = {
  'peer.identity_unknown': 'Call from an active Node. In the embedded fleet choose one with --from node-1.',
  'node_access.required': 'A Node that has access can give it: fleet node:access:add SERVING CONSUMER',
  'env.sync_would_drop_keys': 'Read the file into the stored configuration first: fleet env:import INSTANCE',
  'env.import_conflict': 'Take the values of the file with --replace.',
  'instance.remove_refused': 'Push or give up that work, then repeat; --force gives it up.',
  'instance.not_found': 'fleet instance:list shows the Instances.',
  'node.not_found': 'fleet node:list shows the Nodes.',
  'cluster.not_found': 'fleet cluster:list shows the Clusters.',
  'cluster.not_empty': 'Take its Nodes out first: fleet cluster:node:detach CLUSTER NODE',
  'cluster.router_required': 'Set one first: fleet cluster:router:set CLUSTER NODE',
  'project.not_found': 'fleet project:list shows the Projects.',
  'instance.setup_step_failed':
    'Mend the step or the source: fleet project:setup-step:list PROJECT shows the list.',
  'instance.teardown_step_failed':
    'Mend the step or the source: fleet project:teardown-step:list PROJECT shows the list.',
  'project.has_instances': 'Remove them first: fleet instance:list, then fleet instance:destroy INSTANCE',
  'http.500': 'Look up the request id in the log of the gateway.',
  'node.ssh_host_key_changed': 'Find out why the host key changed before you trust it again.',
  'node.ssh_host_fingerprint_required':
    'Read it on the console of the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub. Over a network that you trust: ssh-keyscan -t ed25519 HOST | ssh-keygen -lf -',
  'node.ssh_host_key_mismatch':
    'Is it the right machine? Compare on its console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
  'node.ssh_host_key_scan_failed':
    'Does its SSH answer there? ssh-keyscan -t ed25519 HOST. Then run the same command again.',
  'node.authentication_failed':
    'Let the gateway in: the line of fleet gateway:ssh-key belongs into ~/.ssh/authorized_keys of the user that it logs in as. Then run the same command again.',
  'node.bootstrap_failed': `Look at the machine. ${SAME_COMMAND}`,
  'node_role.disk_full': FREE_SPACE,
  'cli.disk_full': FREE_SPACE,
  'node.capability_missing':
    'Node operations need an installed gateway with a private network; the embedded fleet has none.',
  'node.has_roles': 'fleet node:role:list NODE, then fleet node:role:remove NODE ROLE for each.',
  'node.has_firewall_rules':
    'fleet node:firewall:list NODE, then fleet node:firewall:remove NODE NAME for each.',
  'node.has_instances':
    'fleet instance:list shows them. Remove them first: fleet instance:destroy INSTANCE, with --offline --force if the machine is gone for good.',
  'node.confirmation_required': GONE,
  'node.self_removal_forbidden': 'Run the same command on another Node, such as the gateway.',
  'node.tld_required': 'Give it one: --tld test',
  'node_role.relocation_incomplete': 'fleet node:role:relocate NODE ROLE --from FORMER completes it.',
  'firewall.backend_inactive': 'fleet node:firewall:live NODE shows the firewall as it is.',
  'firewall.rule_collision': 'fleet node:firewall:live NODE shows the rules that stand there.',
}

const DEAD = {
  'node.unreachable': GONE,
  'node.connection_lost': GONE,
  'node.authentication_failed': GONE,
  'node.ssh_host_key_changed': GONE,
  'command.deadline_exceeded': GONE,
}

/** The same for one command, where its own options are what helps. */
export const nextStepsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'node:remove': DEAD,
  'instance:destroy': DEAD,
}

/** What to do about the reason that an error names in its details. */
export const nextByReason: Readonly<Record<string, string>> = {
  storage_full: FREE_SPACE,
  lfs_failed:
    'Is the LFS server of the repository reachable from the Node, and does it know the login that the Node uses? Try git lfs pull there, then run the same command again.',
  lfs_missing:
    'On the Node, as root: apt-get install git-lfs && git lfs install --system. Then run the same command again.',
  storage_read_only:
    'Make its storage writable again; the kernel log of the Node says why it is not. Then repeat.',
}

/** Where the state that refused a request can be seen, by the family of the code. */
export const whereToLook: Readonly<Record<string, string>> = {
  node: 'fleet node:list shows the state of the Nodes.',
  cluster: 'fleet cluster:list shows the Clusters with their members.',
  project: 'fleet project:list shows the Projects.',
  instance: 'fleet instance:list shows the state of the Instances.',
  env: 'fleet instance:list shows the state of the Instances.',
  node_role: 'fleet node:role:list NODE shows the roles and their states.',
  firewall: 'fleet node:firewall:live NODE shows the firewall as it is.',
}
