import {
  AGAIN,
  ANOTHER_GATEWAY,
  AT_ITS_CONSOLE,
  NEW_HOST_KEY,
  FREE_SPACE,
  GONE,
  GONE_FROM_RECORDS,
  SAME_COMMAND,
  SILENT,
} from './words.ts'

/** Codes with which a machine is silent that may never come back. */
const dead = (text: string): Readonly<Record<string, string>> => ({
  'node.unreachable': text,
  'node.connection_lost': text,
  'node.authentication_failed': text,
  'node.ssh_host_key_changed': `${NEW_HOST_KEY}. ${text}`,
  'command.deadline_exceeded': text,
})

const ONLY_ROUTE =
  'fleet route:show ROUTE shows its Instance. To serve that under another domain: fleet route:update ROUTE --domain DOMAIN. To remove both: fleet instance:destroy INSTANCE'

/** One end of a transfer is silent: which one it is decides what gives it up. */
const LOST_END = `${SILENT} If it is lost for good, fleet instance:show INSTANCE shows on which Node the Instance is. If it is on that machine: fleet instance:destroy INSTANCE --offline --force. If on the other one: fleet node:remove LOST --offline --force, then run the same command again.`

const READER = 'the machine that reads the repository (the Node, or the gateway for the default branch)'

const OR_AWAY = 'Or move the file away: fleet env:sync INSTANCE then writes the stored configuration.'

/** Whatever the force, a removal deletes only what is as recorded. */
const AWAY =
  'fleet instance:show INSTANCE shows what is recorded. Put the directory back as it was, then run the same command again. Or move away what is there; then fleet instance:destroy INSTANCE --force removes what Fleet still has of the Instance.'

const NEW_PLACE = `On the Node of the details: the folder of the Project in the apps root must be a directory and no link. ${AGAIN}`

/** The same for one command, where its own options are what helps. */
export const nextStepsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'node:add': {
    'node.has_instances': `Of a Node with Instances this changes the top-level domain alone. To repair the Node: fleet node:converge NODE --force. ${NEW_HOST_KEY}`,
    'node.unreachable': `Make sure that the SSH server of the machine answers the gateway. ${SAME_COMMAND}`,
  },
  'project:create': {
    'project.deploy_key_needs_ssh':
      'Run the same command with the SSH URL of the repository, git@HOST:PATH, or without --deploy-key.',
  },
  'instance:deploy': {
    'instance.branch_resolution_failed':
      'If the repository does not have the branch, deploy another one: fleet instance:update INSTANCE BRANCH, for development fleet project:update PROJECT --default-branch BRANCH',
  },
  'env:import': {
    'env.configuration_invalid': `Repair the file of the details on the Node, then run the same command again. ${OR_AWAY}`,
  },
  'project:update': {
    'env.source_unsafe':
      'details names the Instance and its file. Of another --root: name a directory that its checkout has. Otherwise, on the Node: ls -l of the file; it must be a regular file of its user, mode 0600, in a directory that is there.',
  },
  'node:converge': { 'node.unreachable': AT_ITS_CONSOLE },
  'node:remove': {
    ...dead(GONE),
    'instance.transfer_incomplete': `details names each transfer; fleet instance:show INSTANCE shows the command that finishes it. ${AGAIN}`,
    'route.reconciliation_required': `The Node is the ingress of public Routes, which fleet route:list shows. Make each private first: fleet route:update ROUTE --publication private. ${AGAIN}`,
  },
  'node:role:add': {
    'node.tld_required': `Give the Node one: fleet node:add NODE --tld TLD. ${AGAIN}`,
  },
  'cluster:node:detach': {
    'cluster.membership_missing': 'fleet cluster:show CLUSTER shows its members.',
  },
  'instance:create': {
    'instance.checkout_path_unsafe': NEW_PLACE,
    'route.domain_invalid':
      'Name a domain: --domain DOMAIN. A generated one contains the slug of the Project, which then may not have underscores: fleet project:update PROJECT --slug SLUG',
    'instance.setup_step_failed': `The Instance was removed again. Fix the step or the source: fleet project:setup-step:list PROJECT shows the steps. What they print is discarded; a step can write it to a file in its home directory. ${AGAIN}`,
    'instance.setup_step_unavailable': `The Instance was removed again. Install the program on the Node, or change the step: fleet project:setup-step:list PROJECT. ${AGAIN}`,
  },
  'instance:clone': {
    'schedule.calendar_invalid': `fleet project:schedule-definition:show PROJECT DEFINITION shows the definition, and fleet project:schedule-definition:update with these values and another calendar replaces it. ${AGAIN}`,
    'instance.checkout_path_unsafe': NEW_PLACE,
    'route.tld_required': `The preview is below the top-level domain of the Node itself. Set one: fleet node:add NODE --tld TLD. ${AGAIN}`,
  },
  'instance:transfer': {
    ...dead(LOST_END),
    'instance.source_layout_mismatch': `The Instance stays where it is, with all of its work. In its checkout, do what the message says. ${AGAIN}`,
    'instance.checkout_path_unsafe': `The Instance stays where it is, with all of its work. ${NEW_PLACE}`,
    'instance.node_not_app_dev':
      'Choose a Node with the role app-dev: fleet node:list shows the roles. To bring the Instance to production instead: fleet help instance:clone',
  },
  'route:create': {
    'route.target_conflict': `fleet route:update ROUTE --domain DOMAIN changes the domain of the Route that it has. For another directory of its checkout: fleet route:create DOMAIN --instance INSTANCE --web-root PATH`,
  },
  'route:target:set': {
    ...dead(
      `If the machine is lost for good, remove its Instance, which leaves the pool too: fleet instance:destroy INSTANCE --offline --force. Then name the Instances that stay: fleet route:target:set ROUTE --targets INSTANCE. Otherwise bring the machine back online and run the same command again.`,
    ),
    'route.target_conflict': 'fleet route:list shows which Route serves each Instance.',
  },
  'schedule:activate': {
    'schedule.target_invalid':
      'Nothing has to be done: its timer is enabled as long as it exists. fleet schedule:show SCHEDULE shows it.',
  },
  'instance:register': {
    'instance.source_path_mismatch':
      'Nothing was changed. Name the top of a checkout on this Node, without links in its path: git rev-parse --show-toplevel in it prints that.',
    'instance.source_ownership_mismatch': `Nothing was changed. On the Node, let the managed account have what the message names: chown -R for the directory, write access for the folder above it. ${AGAIN}`,
    'instance.source_layout_mismatch':
      'Nothing was changed. The message says what is in the way; git worktree list in the directory shows the checkout that it belongs to.',
    'instance.checkout_path_unsafe': NEW_PLACE,
    'instance.node_not_app_dev':
      'Run the command on the Node that has the checkout. It needs the role app-dev: fleet node:role:add NODE app-dev',
  },
  'instance:destroy': {
    ...dead(GONE),
    'instance.transfer_incomplete':
      'fleet instance:show INSTANCE shows the open transfer, and the command that finishes it. If the machine that has the Instance is lost for good, run the same command with --offline --force.',
    'instance.checkout_path_unsafe': AWAY,
    'instance.source_path_mismatch': AWAY,
    'instance.source_ownership_mismatch': `Where details has a path, give that to the managed account on the Node: chown -R. ${AGAIN} Otherwise: ${AWAY}`,
    'instance.source_layout_mismatch': AWAY,
  },
  'route:destroy': {
    ...dead(GONE_FROM_RECORDS),
    'route.target_conflict': ONLY_ROUTE,
  },
  'route:target:unset': { 'route.target_conflict': ONLY_ROUTE },
  'node:firewall:remove': { ...dead(GONE_FROM_RECORDS), 'firewall.node_unreachable': GONE_FROM_RECORDS },
  'process:destroy': dead(GONE_FROM_RECORDS),
  'schedule:destroy': dead(GONE_FROM_RECORDS),
}

/** Nothing writes into a checkout or a home that somebody moved away. */
const HOME_BACK = `fleet instance:show INSTANCE shows its directories. On the Node, move the one that is missing back, or restore it with its owner. ${AGAIN}`

/** What to do about the reason that an error names in its details. */
export const nextByReason: Readonly<Record<string, string>> = {
  route_required:
    'Give it one, if it has a web root: fleet route:create DOMAIN --instance INSTANCE. Otherwise store each value of details.keys without the placeholder: fleet env:update INSTANCE KEY',
  'foreign-user': `If that user may become root, run the same command again with --fleet-user USER, the user of the details. Otherwise remove the Node (fleet node:remove NODE), then enroll it with another: --fleet-user OTHER`,
  'packages-failed': `On the machine, as root: dpkg --configure -a finishes an interrupted installation, and apt-get install --fix-broken names what keeps packages out. ${AGAIN}`,
  address_in_use: `Another program has the port that the journal names: on the Node, as root, ss -lntp shows which. Stop it, for example with systemctl disable --now nginx, or give it another port. ${AGAIN}`,
  origin_unreachable: `In the checkout on the Node: git ls-remote origin shows why its origin cannot be read. ${AGAIN}`,
  default_branch_missing:
    'Name the default branch that the repository has: fleet project:update PROJECT --default-branch BRANCH. git ls-remote --heads URL shows its branches.',
  linked_worktrees: `First remove each Instance of details.instances, which is refused while it has work of its own: fleet instance:destroy OTHER. Any other of details.worktrees, in the checkout: git worktree remove PATH. ${AGAIN} --force would remove all of those Instances too.`,
  recorded_branch: `In the directory of the details: git switch BRANCH, with the recorded branch. ${AGAIN}`,
  only_gateway: ANOTHER_GATEWAY,
  always_private:
    'fleet route:show ROUTE shows where it leads. For a checkout: fleet route:create DOMAIN --instance INSTANCE --publication public',
  storage_full: FREE_SPACE,
  statement:
    'Correct the statement: fleet database:tables SLUG shows the tables, fleet database:describe SLUG TABLE the columns of one.',
  home_missing: HOME_BACK,
  directory_missing: HOME_BACK,
  web_root_missing:
    'Create the directory in the checkout, then run the same command again. Or name one that it has: --web-root PATH, of a Route that is created after fleet route:destroy DOMAIN',
  web_root_unwritable:
    'Give the directory another name in the repository, then name that with --root or --web-root; for the whole Project: fleet project:update PROJECT --root PATH',
  own_route_missing: `Give it one: fleet route:create DOMAIN --instance INSTANCE. ${AGAIN}`,
  own_route_impossible:
    'Create one of the same Project there instead: fleet instance:create PROJECT NODE NAME',
  cluster_inactive: `Activate it: fleet cluster:update CLUSTER --state active. ${AGAIN}`,
  route_unsettled:
    'fleet route:list shows its state. The command that changed it resumes the change; fleet route:destroy ROUTE gives the Route up.',
  route_public:
    'Choose a Node of the same Cluster, or end its publication first: fleet route:update ROUTE --publication private',
  lfs_failed:
    'Is the LFS server of the repository reachable from the Node, and does it know the login that the Node uses? Try git lfs pull there, then run the same command again.',
  lfs_missing:
    'On the Node, as root: apt-get install git-lfs && git lfs install --system. Then run the same command again.',
  foreign_owner: `On the Node, as root: chown -R USER PATH, with the path of the details and its user there, or else the managed account of the Node. ${AGAIN}`,
  package_needed:
    'On the Node: apt-get --simulate remove PACKAGE shows what needs it. A Tool that is `failed` by an earlier attempt is recorded again by fleet tool:adopt NODE MANAGER PACKAGE',
  package_essential:
    'The Tool can only stay. One that is `failed` by an earlier attempt is recorded again by fleet tool:adopt NODE MANAGER PACKAGE',
  remote_unreadable: `On ${READER}: git ls-remote URL shows why. Then run the same command again.`,
  syntax: `Repair the file of the details on the Node, then run the same command again. ${OR_AWAY}`,
  storage_read_only:
    'Make the storage writable again; the kernel log of the Node shows the cause. Then run the same command again.',
}

const REAL_HOSTS = 'npm run lab -- up in the checkout of Fleet starts hosts that have it.'

/** What to do about a capability that a Node lacks. */
export const nextByCapability: Readonly<Record<string, string>> = {
  systemd: `Use a Node that is an enrolled machine. ${REAL_HOSTS}`,
  users: `Use a Node that is an enrolled machine. ${REAL_HOSTS}`,
  tools: `Use a Node that is an enrolled machine. ${REAL_HOSTS}`,
  PHP: `Use a Node that is an enrolled machine. ${REAL_HOSTS}`,
  'web server': `An embedded Node has one where Caddy is installed on this machine when the fleet starts. ${REAL_HOSTS}`,
  metrics:
    'This release of Fleet runs no metrics yet. fleet node:role:list NODE shows the roles of the Node.',
  analytics:
    'This release of Fleet runs no analytics yet. fleet node:role:list NODE shows the roles of the Node.',
  firewall: `Use a Node that is an enrolled machine. ${REAL_HOSTS}`,
  docker: `On an enrolled machine the role database installs Docker: fleet node:role:add NODE database. An embedded Node cannot have it. ${AGAIN}`,
  git: `On the Node: apt-get install git. ${AGAIN}`,
  nftables: `On the Node: apt-get install nftables. ${AGAIN}`,
}

/** What to do about the reason for which Git could not read a repository. */
export const nextByGitReason: Readonly<Record<string, string>> = {
  certificate: `On ${READER}: put the CA certificate of the Git server below /usr/local/share/ca-certificates and run update-ca-certificates. Then run the same command again.`,
  host_key: `Compare the host key of the Git server, then add it to /etc/ssh/ssh_known_hosts on ${READER}: ssh-keyscan HOST. Then run the same command again. Or read it with a deploy key, for which the gateway records the host key: fleet help project:deploy-key:create`,
  name: `Is the name in the repository URL right, and does it resolve on ${READER}? Try getent hosts NAME there.`,
  timeout: `Can ${READER} reach the Git server? Then run the same command again.`,
  refused: `Are host and port of the repository URL right, and does the Git server run and admit ${READER}?`,
  server:
    'The Git server is down or limits requests. Ask who operates it, or wait. Then run the same command again.',
  not_found:
    'Is the path in the repository URL right? A private repository also answers so to a login without access.',
  authentication: `Give ${READER} a login that may read the repository, or the Project a deploy key (fleet help project:deploy-key:create). Then run the same command again.`,
}
