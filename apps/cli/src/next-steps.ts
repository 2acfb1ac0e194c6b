/** What to do about a refusal or a fault, by its code. Nothing here is needed for a command to work. */

const SAME_COMMAND = 'Then run the same command again: it resumes where it stopped.'

const GONE =
  'If the machine is lost for good, run the same command with --offline --force. Otherwise bring it back online and try again.'
const SILENT = `fleet doctor:run --node NODE shows why the Node does not answer. When it does again, run the same command again: it resumes where it stopped.`
const FREE_SPACE = `Free space on the Node. ${SAME_COMMAND}`

/** Programs a person may run next for a code whose advice says too little. */
export const nextSteps: Readonly<Record<string, string>> = {
  'peer.identity_unknown':
    'Run the command on an active Node. In the embedded fleet, choose one with --from node-1.',
  'node_access.required': 'A Node that has access can grant it: fleet node:access:add SERVING CONSUMER',
  'env.sync_would_drop_keys':
    'Import the file into the stored configuration first: fleet env:import INSTANCE',
  'env.import_conflict': 'Use the values of the file: run the same command with --replace.',
  'instance.remove_refused': 'Push that work and run the same command again, or discard it with --force.',
  'database.query_failed':
    'A read can be sent again. Before a write is sent again, look what the first one did: its outcome may be unknown.',
  'instance.node_not_app_dev': 'Add the role first: fleet node:role:add NODE app-dev',
  'instance.node_not_app_prod': 'Add the role first: fleet node:role:add NODE app-prod',
  'instance.not_found': 'fleet instance:list shows the Instances.',
  'node.not_found': 'fleet node:list shows the Nodes.',
  'cluster.not_found': 'fleet cluster:list shows the Clusters.',
  'cluster.not_empty': 'Remove its Nodes first: fleet cluster:node:detach CLUSTER NODE',
  'cluster.router_required': 'Set one first: fleet cluster:router:set CLUSTER NODE',
  'project.not_found': 'fleet project:list shows the Projects.',
  'project.deploy_key_pending':
    'Add the public key of the details at the Git host, with read access to the repository. Then run the same command again.',
  'project.deploy_key_missing': 'Make one: fleet project:deploy-key:create PROJECT',
  'project.deploy_key_needs_ssh': 'fleet project:update PROJECT --repository-url git@HOST:PATH',
  'github.cli_unauthenticated': 'On the gateway, as the user that it runs as: gh auth login',
  'github.app_missing': 'Register one: fleet github:app:install',
  'github.registration_invalid': 'Begin again: fleet github:app:install',
  'github.registration_failed':
    'Delete the app at GitHub if it exists there. Then begin again: fleet github:app:install',
  'github.unavailable':
    'fleet github:app:show says whether GitHub answers now, and who has installed the app. Then run the same command again.',
  'git.host_key_changed':
    'Ask the operator of the Git host for the fingerprint of its new key: fleet git-host:trust HOST --fingerprint FINGERPRINT',
  'git.host_key_mismatch':
    'Compare the fingerprints of the details with what the operator of the Git host publishes.',
  'git.host_unreachable':
    'Are host and port of the repository URL right, and can the gateway reach them? Then run the same command again.',
  'instance.setup_step_failed':
    'Fix the step or the source: fleet project:setup-step:list PROJECT shows the steps.',
  'instance.teardown_step_failed':
    'Fix the step or the source: fleet project:teardown-step:list PROJECT shows the steps.',
  'project.has_instances':
    'List them with fleet instance:list, then remove each: fleet instance:destroy INSTANCE',
  'http.500': 'Search the log of the gateway for the request id.',
  'node.ssh_host_key_changed': 'Find out why the host key changed before you trust the machine again.',
  'node.ssh_host_fingerprint_required':
    'Read the fingerprint on the console of the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub. Over a network that you trust: ssh-keyscan -t ed25519 HOST | ssh-keygen -lf -',
  'node.ssh_host_key_mismatch':
    'Make sure that it is the right machine. On its console: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub',
  'node.ssh_host_key_scan_failed':
    'Check that its SSH server answers: ssh-keyscan -t ed25519 HOST. Then run the same command again.',
  'node.authentication_failed':
    'Add the line that fleet gateway:ssh-key prints to ~/.ssh/authorized_keys of the user that the gateway logs in as. Then run the same command again.',
  'node.unreachable': SILENT,
  'node.connection_lost': SILENT,
  'firewall.node_unreachable': SILENT,
  'node.bootstrap_failed': `Fix the cause on the machine. ${SAME_COMMAND}`,
  'node_role.disk_full': FREE_SPACE,
  'cli.disk_full': FREE_SPACE,
  'node.capability_missing':
    'This needs an installed gateway with a private network; the embedded fleet has none.',
  'node.has_roles':
    'List them with fleet node:role:list NODE, then remove each: fleet node:role:remove NODE ROLE. If the machine is lost for good, run the same command with --offline --force instead.',
  'node.has_firewall_rules':
    'List them with fleet node:firewall:list NODE, then remove each: fleet node:firewall:remove NODE NAME',
  'node.has_instances':
    'List them with fleet instance:list, then remove each: fleet instance:destroy INSTANCE (with --offline --force if the machine is lost for good)',
  'node.confirmation_required': GONE,
  'node.self_removal_forbidden': 'Run the same command on another Node, for example the gateway.',
  'node.tld_required': 'Specify one, for example --tld test',
  'node_role.relocation_incomplete': 'Complete it: fleet node:role:relocate NODE ROLE --from FORMER',
  'firewall.backend_inactive': 'fleet node:firewall:live NODE shows the live firewall.',
  'firewall.rule_collision': 'fleet node:firewall:live NODE shows the live rules.',
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
  'node:add': {
    'node.unreachable': `Make sure that the SSH server of the machine answers the gateway. ${SAME_COMMAND}`,
  },
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
    'Make the storage writable again; the kernel log of the Node shows the cause. Then run the same command again.',
}

const READER = 'the machine that reads the repository (the Node, or the gateway for the default branch)'

/** What to do about the reason for which Git could not read a repository. */
export const nextByGitReason: Readonly<Record<string, string>> = {
  certificate: `On ${READER}: put the CA certificate of the Git server below /usr/local/share/ca-certificates and run update-ca-certificates. Then run the same command again.`,
  host_key: `Compare the host key of the Git server, then add it to /etc/ssh/ssh_known_hosts on ${READER}: ssh-keyscan HOST. Then run the same command again.`,
  name: `Is the name in the repository URL right, and does it resolve on ${READER}? Try getent hosts NAME there.`,
  timeout: `Can ${READER} reach the Git server? Then run the same command again.`,
  refused: `Are host and port of the repository URL right, and does the Git server run and admit ${READER}?`,
  not_found:
    'Is the path in the repository URL right? A private repository also answers so to a login without access.',
  authentication: `Give ${READER} a login that may read the repository, or the Project a deploy key (fleet help project:deploy-key:create). Then run the same command again.`,
}

/** Where the state that refused a request can be seen, by the family of the code. */
export const whereToLook: Readonly<Record<string, string>> = {
  node: 'fleet node:list shows the state of the Nodes.',
  cluster: 'fleet cluster:list shows the Clusters with their members.',
  project: 'fleet project:list shows the Projects.',
  instance: 'fleet instance:list shows the state of the Instances.',
  env: 'fleet instance:list shows the state of the Instances.',
  node_role: 'fleet node:role:list NODE shows the roles and their states.',
  firewall: 'fleet node:firewall:live NODE shows the live firewall.',
}
