/** How answers and arguments read for people. Nothing here is needed for a command to work. */

const FIREWALL: readonly string[] = [
  'node',
  'name',
  'action',
  'port',
  'protocol',
  'source',
  'status',
  'backend_status',
  'failed_step',
  'error_code',
]

/** Columns of a list, left to right; the last ones go first when the terminal is narrow. Every list without a row shows what fits. */
export const columns: Readonly<Record<string, readonly string[]>> = {
  'route:list': ['domain', 'leads_to', 'publication', 'status', 'failed_step', 'id'],
  'process:list': [
    'id',
    'owner',
    'name',
    'runtime',
    'desired_state',
    'runtime_status',
    'status',
    'cpu',
    'memory',
    'failed_step',
    'error_code',
    'restart_policy',
    'user',
    'working_directory',
  ],
  'schedule:list': [
    'owner',
    'name',
    'calendar',
    'desired_timer_state',
    'status',
    'last_run_status',
    'last_run_at',
    'failed_step',
    'error_code',
    'id',
  ],
  'database:server:list': ['slug', 'node_id', 'tag', 'port', 'status', 'databases_count', 'process_id', 'id'],
  'database:list': ['slug', 'driver', 'host', 'port', 'database', 'path', 'username', 'node_id', 'id'],
  'activity:list': [
    'id',
    'occurred_at',
    'command',
    'status',
    'error_code',
    'caller_node_id',
    'target_node_id',
    'duration_ms',
    'request_id',
  ],
  'instance:list': [
    'id',
    'project',
    'name',
    'node',
    'status',
    'failed_step',
    'selected_branch',
    'domain',
    'checkout_path',
    'error_code',
  ],
  'cluster:list': ['id', 'name', 'tld', 'state', 'router', 'nodes'],
  'instance:deployments': [
    'id',
    'release',
    'status',
    'failed_step',
    'error_code',
    'started_at',
    'duration_seconds',
    'branch',
    'commit',
    'selected_release',
    'triggered_by',
  ],
  'node:list': [
    'id',
    'name',
    'status',
    'roles',
    'wireguard_ip',
    'platform',
    'architecture',
    'user',
    'failed_step',
    'error_code',
  ],
  'tool:list': [
    'id',
    'manager',
    'package',
    'installed_version',
    'version_constraint',
    'status',
    'outcome',
    'error_code',
    'failed_operation',
  ],
  'tool:manager:list': ['name', 'status', 'installed_version', 'error_code', 'failed_step'],
  'node:role:list': ['role', 'status', 'failed_step', 'error_code', 'id'],
  'node:firewall:list': FIREWALL.filter((column) => column !== 'node'),
  'node:firewall:managed': [
    'name',
    'role',
    'action',
    'port',
    'protocol',
    'source',
    'destination',
    'interface',
    'direction',
  ],
  'firewall:list': FIREWALL,
  'project:list': ['id', 'slug', 'code', 'type', 'default_branch', 'repository_url', 'root'],
}

/** What to type after a success; `{member}` is replaced by what was typed for it, else by what was answered. */
export const afterwards: Readonly<Record<string, string>> = {
  'env:update': 'To write the file on the Node: fleet env:sync {instance}',
  'env:import': 'To write the file on the Node: fleet env:sync {instance}',
  'instance:update': 'The next deployment takes {branch}: fleet instance:deploy {instance}',
  'instance:rename': 'To write values that name its domain into the file on the Node: fleet env:sync {id}',
  'project:create': 'To check it out on a Node: fleet instance:create {slug} NODE default',
}

/** What to type after something was created that was not there before, besides. */
export const afterCreation: Readonly<Record<string, string>> = {
  'node:add':
    'The gateway and the Node that enrolled it have access. To give another Node access: fleet node:access:add {name} NODE',
}

/** What a 200 means to a person for an operation that creates: the record already existed. */
export const repeated: Readonly<Record<string, string>> = {
  'node:add': 'The Node already existed and was converged.',
  'node:role:add': 'The Node already has the role; this is its record.',
}

/** What a person should know before confirming. */
export const warnings: Readonly<Record<string, (typed: Readonly<Record<string, unknown>>) => string>> = {
  'node:remove': ({ offline }) =>
    offline === true
      ? 'If the Node does not answer, only its record is removed. Everything on the machine stays, including keys and data.'
      : 'The Node leaves the private network, and its public SSH opens again. Its packages, users and data stay on the machine.',
  'route:target:set': ({ remove }) =>
    `At the end these Instances are removed, with their releases: ${Array.isArray(remove) ? remove.join(', ') : ''}.`,
  'node:role:remove': ({ offline }) =>
    offline === true
      ? 'Only the record is removed: the role keeps running on the machine.'
      : 'Packages, directories, databases and users stay on the Node.',
}

const WEB_ROLE =
  'A role with a web server (app-dev, app-prod, ingress, router) replaces /etc/caddy/Caddyfile of the machine. An own one is kept below /etc/caddy/fleet-backups, and its sites are no longer served.'

/** What the help of a command adds for people. */
export const helpNotes: Readonly<Record<string, readonly string[]>> = {
  'doctor:run': [
    'The exit status is 0 only when all that was inspected is healthy, and 1 for any other report.',
  ],
  'node:role:add': [WEB_ROLE],
  'node:add': [
    'Before you enroll a machine, let the gateway log in on it: add the line that fleet gateway:ssh-key prints to ~/.ssh/authorized_keys of the first user (root, unless --user names another).',
    'The firewall of the machine is turned on. Whatever it serves is closed to all but the private network until you open it: fleet node:firewall:allow NODE web 443. Where no firewall was on, the answer names each port on which a program listens, with its command. Ports that containers publish bypass the firewall, and stay open.',
    WEB_ROLE,
    'To get the fingerprint, run on the console of the machine: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub. Over a network that you trust: ssh-keyscan -t ed25519 HOST | ssh-keygen -lf -',
  ],
}

const NEW_COMMAND = "--command 'composer install --no-dev'"
/** Options that the example of a command shows although its schema does not require them. */
export const usualOptions: Readonly<Record<string, string>> = {
  'database:create': '--driver sqlite --path /srv/shop/database.sqlite',
  'route:target:set': '--targets demo/second --remove demo/old',
  'node:add': '--host-key-fingerprint "$FINGERPRINT" --roles database',
  'route:create': '--instance demo/default',
  'route:update': '--web-root apps/blog/public',
  'cluster:update': '--state active',
  'project:update': '--default-branch main',
  'project:setup-step:update': NEW_COMMAND,
  'project:teardown-step:update': NEW_COMMAND,
  'project:dev-deploy-step:update': NEW_COMMAND,
  'instance:deploy-step:update': NEW_COMMAND,
  'instance:rename': '--domain demo.test',
  'database:update': '--port 5433',
}

/** A member that is given as `KEY=VALUE` words behind the arguments. */
export interface Assignments {
  readonly member: string
  /** Every key that may be set, dots between the levels. */
  readonly keys: readonly string[]
  /** Family of the codes: `<prefix>_unknown`, `_duplicate`, `_invalid`, `_required` (NODE-112). */
  readonly codePrefix: string
}

/** Members that read better as KEY=VALUE words. */
export const assignments: Readonly<Record<string, Assignments>> = {
  'node:settings': { member: 'settings', keys: ['apps.path'], codePrefix: 'node.setting' },
}

/** A secret that an operation needs with such members, although its schema does not: asked for like a required one. */
export const neededSecrets: Readonly<
  Record<string, (typed: Readonly<Record<string, unknown>>) => string | undefined>
> = {
  'database:create': ({ driver }) => (driver === 'mysql' || driver === 'pgsql' ? 'password' : undefined),
}

/** How a record of a family is named by people instead of by its id. */
export interface NameRule {
  /** Operation that lists the records. */
  readonly list: string
  /** Every name of a record, the one to show first. `ownerOf` names what owns a Process, a Schedule or a Tool. */
  readonly names: (
    record: Readonly<Record<string, unknown>>,
    ownerOf: (record: Readonly<Record<string, unknown>>) => string | undefined,
  ) => readonly string[]
  /** Its records belong to records of these families, as `target_type` and `target_id` say, or else `node_id`. */
  readonly owners?: readonly string[]
  /** The list takes the Node whose records it answers. */
  readonly isOfNode?: true
  /** How such a name is written, for messages. */
  readonly form: string
  /** Another form that people type. */
  readonly also?: string
  /**
   * Operation that finds one record by its exact name, also one that the list does not show; the
   * member that takes the name, and the one of the answer that has the id.
   */
  readonly resolve?: { readonly operation: string; readonly by: string; readonly id: string }
}

const OWNERS = ['node', 'instance']

export const nameRules: Readonly<Record<string, NameRule>> = {
  node: {
    list: 'node:list',
    names: (node) => texts(node['name']),
    form: 'name',
    resolve: { operation: 'node:resolve', by: 'name', id: 'id' },
  },
  cluster: { list: 'cluster:list', names: (cluster) => texts(cluster['name']), form: 'name' },
  project: { list: 'project:list', names: (project) => texts(project['slug']), form: 'slug' },
  database: { list: 'database:list', names: (database) => texts(database['slug']), form: 'slug' },
  route: { list: 'route:list', names: (route) => texts(route['domain']), form: 'domain' },
  process: { list: 'process:list', names: ownedNames, owners: OWNERS, form: 'owner/name' },
  schedule: { list: 'schedule:list', names: ownedNames, owners: OWNERS, form: 'owner/name' },
  tool: {
    list: 'tool:list',
    names: toolNames,
    owners: ['node'],
    isOfNode: true,
    form: 'node/manager/package',
  },
  instance: {
    list: 'instance:list',
    names: (instance) =>
      texts(instance['name']).flatMap((name) => [
        `${slugOf(instance)}/${name}`,
        name,
        ...texts(instance['domain']),
      ]),
    form: 'project/name',
    also: 'domain',
    resolve: { operation: 'instance:resolve', by: 'domain', id: 'instance_id' },
  },
}

/** `web-1/worker` or `shop/default/worker`, and the name alone. */
function ownedNames(
  record: Readonly<Record<string, unknown>>,
  ownerOf: (record: Readonly<Record<string, unknown>>) => string | undefined,
): readonly string[] {
  const owner = ownerOf(record)
  return texts(record['name']).flatMap((name) => (owner === undefined ? [name] : [`${owner}/${name}`, name]))
}

/** `web-1/vp/eslint`, the package on the Node, and the package alone. */
function toolNames(
  record: Readonly<Record<string, unknown>>,
  ownerOf: (record: Readonly<Record<string, unknown>>) => string | undefined,
): readonly string[] {
  const node = ownerOf(record)
  const [name] = texts(record['package'])
  if (name === undefined) return []
  return node === undefined
    ? [name]
    : [`${node}/${String(record['manager'])}/${name}`, `${node}/${name}`, name]
}

const texts = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : [])

const slugOf = (instance: Readonly<Record<string, unknown>>): string => {
  const project = instance['project']
  return typeof project === 'object' && project !== null && 'slug' in project ? String(project.slug) : ''
}
