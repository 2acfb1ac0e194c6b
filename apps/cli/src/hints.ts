import type { Assignments } from './args/assignments.ts'

/** How answers and arguments read for people. Nothing here is needed for a command to work. */

/** Columns of a list, left to right; the last ones go first when the terminal is narrow. Every list without a row shows what fits. */
export const columns: Readonly<Record<string, readonly string[]>> = {
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
    'selected_branch',
    'domain',
    'checkout_path',
    'error_code',
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
    'error_code',
  ],
  'project:list': ['id', 'slug', 'code', 'type', 'default_branch', 'repository_url', 'root'],
}

/** What to type after a success; `{member}` is replaced by what was typed for it. */
export const afterwards: Readonly<Record<string, string>> = {
  'env:update': 'Stored. The file on the Node changes with: fleet env:sync {instance}',
  'env:import': 'Imported. The file on the Node changes with: fleet env:sync {instance}',
  'project:create': 'Check it out on a Node with: fleet instance:create {slug} NODE default',
}

/** Members that read better as KEY=VALUE words. */
export const assignments: Readonly<Record<string, Assignments>> = {
  'node:settings': { member: 'settings', keys: ['apps.path'], codePrefix: 'node.setting' },
}

/** How a record of a family is named by people instead of by its id. */
export interface NameRule {
  /** Operation that lists the records. */
  readonly list: string
  /** Every name of a record, the one to show first. */
  readonly names: (record: Readonly<Record<string, unknown>>) => readonly string[]
  /** How such a name is written, for messages. */
  readonly form: string
}

export const nameRules: Readonly<Record<string, NameRule>> = {
  node: { list: 'node:list', names: (node) => texts(node['name']), form: 'name' },
  cluster: { list: 'cluster:list', names: (cluster) => texts(cluster['name']), form: 'name' },
  project: { list: 'project:list', names: (project) => texts(project['slug']), form: 'slug' },
  instance: {
    list: 'instance:list',
    names: (instance) => texts(instance['name']).flatMap((name) => [`${slugOf(instance)}/${name}`, name]),
    form: 'project/name',
  },
}

const texts = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : [])

const slugOf = (instance: Readonly<Record<string, unknown>>): string => {
  const project = instance['project']
  return typeof project === 'object' && project !== null && 'slug' in project ? String(project.slug) : ''
}

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
}

/** Where the state that refused a request can be seen, by the family of the code. */
export const whereToLook: Readonly<Record<string, string>> = {
  node: 'fleet node:list shows the state of the Nodes.',
  cluster: 'fleet cluster:list shows the Clusters with their members.',
  project: 'fleet project:list shows the Projects.',
  instance: 'fleet instance:list shows the state of the Instances.',
  env: 'fleet instance:list shows the state of the Instances.',
}
