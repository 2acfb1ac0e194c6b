import type { CliFamily, CliField, CliTree } from '@fleet/surfaces'
import type { CommandSpec } from '#/command-spec.ts'

/** Commands that work on this client's own configuration, or around a request to the gateway. */
export const LOCAL_NAMES = [
  'completion',
  'feed',
  'gateway:add',
  'gateway:list',
  'gateway:remove',
  'gateway:status',
  'gateway:trust',
  'gateway:use',
  'instance:logs',
  'top',
] as const
export type LocalName = (typeof LOCAL_NAMES)[number]

export const isLocal = (name: string): name is LocalName => LOCAL_NAMES.some((known) => known === name)

export const localFamilies: readonly CliFamily[] = [
  { name: 'feed', summary: 'What happens in the fleet, as it happens.', commands: ['feed'] },
  { name: 'top', summary: 'What runs in the fleet at this moment.', commands: ['top'] },
  { name: 'completion', summary: 'Words that a shell completes.', commands: ['completion'] },
]

/** Their texts; those that stand around an operation keep its summary of what it does. */
export function localCommands({ commands }: CliTree): Readonly<Record<LocalName, CommandSpec>> {
  return {
    completion: spec(
      'completion',
      'Print the completion script of a shell',
      [required('shell', 'Shell that reads it.', ['bash', 'zsh', 'fish'])],
      [],
      'Works offline.',
      {
        description:
          'Load it with `source <(fleet completion bash)`, or for fish `fleet completion fish | source`.',
      },
    ),
    feed: liveFeed,
    'gateway:add': spec(
      'gateway:add',
      'Store a gateway and trust its root certificate',
      [
        required('name', 'Name of the new profile.'),
        required('url', 'Origin of the gateway, such as https://10.44.0.1.'),
      ],
      trustOptions,
      'Asks the gateway for its root certificate.',
      {
        description:
          'Fetches the root certificate, has its fingerprint confirmed, repeats the request with that certificate as the only trust root, then stores the profile. The first profile becomes the active one.',
        errors: [...TRUST_CODES, 'gateway.profile_invalid'],
      },
    ),
    'gateway:list': spec('gateway:list', 'List the stored gateways', [], [], 'Works offline.', {
      errors: CONFIG_CODES,
    }),
    'gateway:remove': spec(
      'gateway:remove',
      'Forget a stored gateway',
      [required('name', 'Name of the profile.')],
      [flag('force', 'Also when it is the active one.')],
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
      'Needs no identity.',
      {
        description:
          'Adds which profile is used and how it is trusted; with --json the answer of the gateway alone.',
        errors: ['gateway.unreachable', 'gateway.profile_missing'],
      },
    ),
    'gateway:trust': spec(
      'gateway:trust',
      'Check the root certificate of a gateway and renew the trust in it',
      [{ ...required('name', 'Name of the profile; the active one when absent.'), required: false }],
      trustOptions,
      'Asks the gateway for its root certificate.',
      {
        description:
          'A changed root certificate is refused unless --accept-change is given and its fingerprint confirmed. Without a profile, as in the embedded fleet, it shows the root certificate in use.',
        errors: [...TRUST_CODES, 'gateway.ca_changed', 'gateway.profile_not_found'],
      },
    ),
    'gateway:use': spec(
      'gateway:use',
      'Choose the gateway that commands go to',
      [required('name', 'Name of the profile.')],
      [],
      'Works offline.',
      {
        errors: [...CONFIG_CODES, 'gateway.profile_not_found'],
      },
    ),
    'instance:logs': liveLogs,
    top: liveTop,
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

const liveFeed = spec(
  'feed',
  'Follow what happens in the fleet',
  [],
  [
    field(
      'type',
      'strings',
      'Only events of this type, such as node.updated, or of this family, such as node.',
    ),
    { ...field('node', 'integer', 'Only events about this Node and what is on it.'), refers: 'node' },
    flag('activities', 'Also the Activities, which every request leaves.'),
    field('count', 'integer', 'End after so many events.'),
  ],
  'Needs access to the gateway Node.',
  {
    description:
      'Prints one line for each event until Ctrl-C, connects again when it is cut off, and says when an event was missed. With --json each line is the event as it arrived; lines of this client itself have the types feed.connected, feed.lost, feed.silent and feed.missed.',
    errors: ['realtime.not_configured', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

const liveLogs = spec(
  'instance:logs',
  'Read the log of an Instance, or follow it',
  [{ ...field('instance', 'integer', 'The Instance.'), refers: 'instance', required: true }],
  [
    flag('follow', 'Go on with the lines that come, until Ctrl-C.'),
    field('lines', 'integer', 'Lines of the log that come first, at most 1000; 100 when absent.'),
  ],
  'Needs a grant on the Node of the Instance.',
  {
    description:
      'Reads the log of the framework by a live stream of the agent on the Node, and where there is none over SSH, with --follow every 5 s. Says where lines were left out, and opens another stream when one ends for a while. With --json each line is a log.lines event as it arrived; lines of this client itself have types that begin with logs.',
    errors: ['logs.live_unavailable', 'logs.stream_limit', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

const liveTop = spec(
  'top',
  'Watch Nodes, units and workspaces as they are',
  [],
  [],
  'Needs access to the gateway Node.',
  {
    description:
      'Shows what the agents of the Nodes tell, live: whether each is there, what runs on it, and the checkouts of tasks. Tab or the first letter of a view changes the view, arrows scroll, q ends it. Without a terminal, on a dumb one (TERM=dumb), and with --json, it prints one picture and ends.',
    errors: ['realtime.not_configured', 'realtime.unreachable', 'gateway.unreachable'],
  },
)

const trustOptions: readonly CliField[] = [
  field('fingerprint', 'string', 'SHA-256 fingerprint that the root certificate must have.'),
  flag('accept-new', 'Trust the first certificate seen, without a question.'),
  flag('accept-change', 'Go on although the root certificate changed.'),
  flag('system', 'Install the root certificate in the trust store of this system too (Debian, as root).'),
]
