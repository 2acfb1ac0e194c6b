import type { CliFamily, CliField, CliTree } from '@fleet/surfaces'
import type { CommandSpec } from '#/command-spec.ts'
import { appInstallSpec } from '#/github/spec.ts'
import { targetSetSpec } from '#/routes/spec.ts'

/** Commands that work on this client's own configuration, or around a request to the gateway. */
export const LOCAL_NAMES = [
  'completion',
  'database:query',
  'database:shell',
  'deployment:show',
  'feed',
  'gateway:add',
  'gateway:list',
  'gateway:remove',
  'gateway:status',
  'gateway:trust',
  'gateway:use',
  'github:app:install',
  'instance:dependencies:scan',
  'instance:logs',
  'instance:open',
  'instance:rollback',
  'route:target:set',
  'top',
] as const
export type LocalName = (typeof LOCAL_NAMES)[number]

export const isLocal = (name: string): name is LocalName => LOCAL_NAMES.some((known) => known === name)

export const localFamilies: readonly CliFamily[] = [
  { name: 'feed', summary: 'Live events of the fleet.', commands: ['feed'] },
  { name: 'top', summary: 'What is running in the fleet.', commands: ['top'] },
  { name: 'completion', summary: 'Completion for shells.', commands: ['completion'] },
]

/** Their texts; commands that wrap an operation keep its summary. */
export function localCommands({ commands }: CliTree): Readonly<Record<LocalName, CommandSpec>> {
  return {
    completion: spec(
      'completion',
      'Print the completion script of a shell',
      [required('shell', 'Shell that will load the script.', ['bash', 'zsh', 'fish'])],
      [],
      'Works offline.',
      {
        description:
          'Load it with `source <(fleet completion bash)`, or for fish `fleet completion fish | source`.',
      },
    ),
    'database:shell': databaseShell,
    feed: liveFeed,
    'gateway:add': spec(
      'gateway:add',
      'Store a gateway and trust its root certificate',
      [
        required('name', 'Name of the new profile.'),
        required('url', 'Origin of the gateway, for example https://10.44.0.1.'),
      ],
      trustOptions,
      'Reads the root certificate from the gateway.',
      {
        description:
          'Fetches the root certificate, asks you to confirm its fingerprint, repeats the request with that certificate as the only trust root, and stores the profile. The first profile becomes the active one.',
        errors: [...TRUST_CODES, 'gateway.profile_invalid'],
      },
    ),
    'gateway:list': gatewayList,
    'gateway:remove': spec(
      'gateway:remove',
      'Remove a stored gateway',
      [required('name', 'Name of the profile.')],
      [flag('force', 'Remove it even if it is the active one.')],
      'Works offline.',
      {
        errors: [...CONFIG_CODES, 'gateway.profile_not_found', 'gateway.profile_active'],
      },
    ),
    'gateway:status': spec(
      'gateway:status',
      commands['gateway:status']?.summary ?? 'Show the gateway',
      [],
      [],
      'Needs no authentication.',
      {
        description:
          'Also shows the profile and its trust. With --json, prints only the response of the gateway.',
        errors: ['gateway.unreachable', 'gateway.profile_missing'],
      },
    ),
    'gateway:trust': spec(
      'gateway:trust',
      'Verify or replace the trusted root certificate of a gateway',
      [{ ...required('name', 'Name of the profile; the active one when absent.'), required: false }],
      trustOptions,
      'Reads the root certificate from the gateway.',
      {
        description:
          'Refuses a changed root certificate unless --accept-change is given and the fingerprint is confirmed. Without a profile, as in the embedded fleet, shows the root certificate in use.',
        errors: [...TRUST_CODES, 'gateway.ca_changed', 'gateway.profile_not_found'],
      },
    ),
    'gateway:use': spec(
      'gateway:use',
      'Select the gateway that commands use',
      [required('name', 'Name of the profile.')],
      [],
      'Works offline.',
      {
        errors: [...CONFIG_CODES, 'gateway.profile_not_found'],
      },
    ),
    ...withMore(commands),
    ...aroundOperations,
  }
}

const CONFIG_CODES = ['gateway.config_invalid', 'gateway.config_not_private'] as const
const TRUST_CODES = [
  'gateway.ca_fetch_failed',
  'gateway.ca_unavailable',
  'gateway.ca_invalid',
  'gateway.ca_pin_invalid',
  'gateway.ca_verification_failed',
  'gateway.ca_store_failed',
  'gateway.ca_install_failed',
  'gateway.ca_profile_update_failed',
  ...CONFIG_CODES,
] as const

type More = Partial<Pick<CommandSpec, 'description' | 'errors'>>

const spec = (
  name: string,
  summary: string,
  args: readonly CliField[],
  options: readonly CliField[],
  access: string,
  more: More = {},
): CommandSpec => ({
  name,
  summary,
  access,
  destructive: false,
  arguments: args,
  options,
  errors: [],
  ...more,
})

const field = (name: string, type: CliField['type'], description: string): CliField => ({
  member: name.replaceAll('-', '_'),
  name,
  type,
  place: 'body',
  required: false,
  nullable: false,
  description,
  secret: false,
})

const required = (name: string, description: string, choices?: readonly string[]): CliField => ({
  ...field(name, 'string', description),
  required: true,
  ...(choices ? { choices } : {}),
})

const flag = (name: string, description: string): CliField => field(name, 'boolean', description)

/** Operations that this client offers with more. */
const withMore = (commands: CliTree['commands']) => ({
  'database:query': withCsv(commands['database:query']),
  'deployment:show': deploymentShow(commands['deployment:show']),
  'github:app:install': appInstallSpec(commands['github:app:install']),
  'instance:rollback': rollback(commands['instance:rollback']),
  'route:target:set': targetSetSpec(commands['route:target:set']),
})

/** The operation with what this client adds to it. */
function around(
  operation: CommandSpec | undefined,
  more: string,
  changed: Partial<CommandSpec>,
): CommandSpec {
  if (!operation) throw new Error('the catalogue lacks an operation that this client adds to')
  const { name, summary, description = '', access, destructive, arguments: args, options, errors } = operation
  return {
    name,
    summary,
    description: `${description} ${more}`.trimStart(),
    access,
    destructive,
    arguments: args,
    options,
    errors,
    ...changed,
  }
}

const withCsv = (operation: CommandSpec | undefined): CommandSpec =>
  around(operation, 'Use - as the statement to read it from standard input.', {
    options: [
      ...(operation?.options ?? []),
      flag('csv', 'Print the rows as CSV; status 1 if the gateway does not return all of them.'),
    ],
  })

const deploymentShow = (operation: CommandSpec | undefined): CommandSpec =>
  around(operation, 'Follow a running deployment with --follow, from any machine and at any time.', {
    options: [
      ...(operation?.options ?? []),
      flag('follow', 'Print progress until the run ends or you press Ctrl-C.'),
    ],
  })

const rollback = (operation: CommandSpec | undefined): CommandSpec =>
  around(
    operation,
    'Without a release, a person at a terminal is offered those that there are. The run continues when this command is closed, unless --no-detach is given.',
    {
      arguments: (operation?.arguments ?? []).map((field) =>
        field.name === 'release' ? { ...field, required: false } : field,
      ),
    },
  )

const databaseShell = spec(
  'database:shell',
  'Read a registered database at a prompt',
  [{ ...field('slug', 'string', 'Slug of the connection.'), refers: 'database', required: true }],
  [],
  'Needs a grant on the gateway Node.',
  {
    description:
      'Each statement is one read through the gateway, which refuses anything else. Tab completes names of tables, arrow keys recall lines, \\d TABLE shows columns, \\q or Ctrl-D leaves. Statements can also be piped in; with --json, each result is a line of JSON.',
    errors: ['database.not_found', 'database.write_required', 'database.query_failed', 'gateway.unreachable'],
  },
)

const gatewayList = spec('gateway:list', 'List the stored gateways', [], [], 'Works offline.', {
  errors: CONFIG_CODES,
})

const liveFeed = spec(
  'feed',
  'Follow the events of the fleet live',
  [],
  [
    field(
      'type',
      'strings',
      'Only events of this type, such as node.updated, or of this family, such as node.',
    ),
    { ...field('node', 'integer', 'Only events about this Node and the records on it.'), refers: 'node' },
    flag('activities', 'Include Activities, which every request creates.'),
    field(
      'count',
      'integer',
      'Stop after this number of events; with --timeout, with status 3 where they do not come in time.',
    ),
  ],
  'Needs access to the gateway Node.',
  {
    description:
      'Prints one line for each event until Ctrl-C, reconnects when the connection is lost, and reports lost events. With --json, each line is an event as received; lines of this client itself have the types feed.connected, feed.lost, feed.silent and feed.missed.',
    errors: ['realtime.not_configured', 'realtime.timed_out', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

const liveLogs = spec(
  'instance:logs',
  'Read the log of an Instance, or follow it',
  [{ ...field('instance', 'integer', 'The Instance.'), refers: 'instance', required: true }],
  [
    flag('follow', 'Keep printing new lines until Ctrl-C.'),
    field('lines', 'integer', 'Number of existing lines to print first, at most 1000. Default: 100.'),
  ],
  'Needs a grant on the Node of the Instance.',
  {
    description:
      'Reads the framework log through the agent on the Node; if that is not possible, over SSH (with --follow, every 5 s). Reports skipped lines, and opens a new stream if one is interrupted. With --json, each line is a log.lines event as received; lines of this client itself have types that begin with logs.',
    errors: ['logs.live_unavailable', 'logs.stream_limit', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

const scan = spec(
  'instance:dependencies:scan',
  'Read the dependencies of an Instance, or of all',
  [
    {
      ...field('instance', 'integer', 'The Instance. Default: the one that holds the current directory.'),
      refers: 'instance',
    },
  ],
  [
    field('project', 'string', 'The Instance behind this domain instead.'),
    flag('all', 'Every Instance that instance:list returns, one after the other.'),
  ],
  'Needs a grant on the Node of the Instance.',
  {
    description:
      'Reads files only: no package manager runs. The exit status is 0 only when every ecosystem was read. With --all, a failure does not stop the others, and Ctrl-C marks the rest as skipped; with --json the response is one object for all.',
    errors: [
      'dependencies.target_not_found',
      'dependencies.target_ambiguous',
      'dependencies.target_conflict',
      'dependencies.instance_unavailable',
      'dependencies.operation_busy',
      'gateway.unreachable',
    ],
  },
)

const open = spec(
  'instance:open',
  'Print the address of an Instance, or open it in a browser',
  [
    {
      ...field('instance', 'integer', 'The Instance. Default: the one that holds the current directory.'),
      refers: 'instance',
    },
  ],
  [flag('browser', 'Also open it in the browser of this machine, if the output is a terminal.')],
  'Needs a grant on the Node of the Instance.',
  {
    description:
      'Prints the address of its own Route. The page opens only for members of the private network whose browser trusts the root certificate of the fleet: `fleet gateway:trust --system`.',
    errors: [
      'instance.not_found',
      'dependencies.target_not_found',
      'dependencies.target_ambiguous',
      'dependencies.instance_unavailable',
      'gateway.unreachable',
    ],
  },
)

const liveTop = spec(
  'top',
  'Watch Nodes, units and workspaces live',
  [],
  [],
  'Needs access to the gateway Node.',
  {
    description:
      'Shows live what the agents of the Nodes report: which Nodes are online, what runs on them, and the checkouts of tasks. Tab or the first letter of a view switches the view, arrow keys scroll, q quits. Without a terminal, on a dumb one (TERM=dumb), or with --json, prints one snapshot and exits.',
    errors: ['realtime.not_configured', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

/** Commands that do more than one request. */
const aroundOperations = {
  'instance:dependencies:scan': scan,
  'instance:logs': liveLogs,
  'instance:open': open,
  top: liveTop,
}

const trustOptions: readonly CliField[] = [
  field('fingerprint', 'string', 'SHA-256 fingerprint that the root certificate must have.'),
  flag('accept-new', 'Trust the first certificate without asking.'),
  flag('accept-change', 'Accept a changed root certificate.'),
  flag('system', 'Also install the root certificate in the trust store of this system (Debian, as root).'),
]
