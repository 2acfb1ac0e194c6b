import { HIBERNATION_DEFAULTS, WEBSOCKET_PORT } from '@fleet/fleet'
import * as z from 'zod'
import { covers, type ListenPlace, placeOf } from './listen-place.ts'

/** One setting of a process, as the generated settings page prints it. */
export interface Setting {
  readonly name: string
  /** What holds when it is unset, in words where it is no literal. */
  readonly default: string
  readonly meaning: string
}

const listen = z.string().transform((text, context): readonly ListenPlace[] => {
  const places: ListenPlace[] = []
  for (const part of text.split(',')) {
    const place = placeOf(part)
    if (typeof place === 'string') context.addIssue(place)
    else places.push(place)
  }
  const twice = places.find((place, index) =>
    places.some((other, at) => at !== index && covers(other, place)),
  )
  if (twice) context.addIssue(`listens at ${twice.address} port ${twice.port} twice`)
  return places
})

/** A whole number; one outside its bounds counts as the nearest of them. */
const bounded = (unset: number, least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform((text) => Math.min(most, Math.max(least, Number(text))))
    .default(unset)

/** What something may wait for, 23 days: a timer and a date hold more. */
const MOST_SECONDS = 2_000_000

const NOT_OWN_PORT = 'must be a port from 1024 to 65535'
/** Ports below 1024 are not for a program without privileges. */
const ownPort = z
  .string()
  .regex(/^\d{4,5}$/, NOT_OWN_PORT)
  .transform(Number)
  .refine((port) => port >= 1024 && port <= 65_535, NOT_OWN_PORT)

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

const listOf = (isOne: (name: string) => boolean, message: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .refine((names) => names.every(isOne), message)

const dnsNames = listOf((name) => DNS_NAME.test(name), 'must be DNS names in lower case, joined by commas')

const pageHosts = listOf(
  (name) => name === '*' || DNS_NAME.test(name.replace(/^\*\./, '')),
  'must be host names in lower case, *.name for all below one, or *, joined by commas',
)

const schema = z.object({
  FLEET_HOME: z.string().startsWith('/', 'must be an absolute path').default('/var/lib/fleet'),
  FLEET_LISTEN: listen.default([{ address: '127.0.0.1', port: 8443 }]),
  FLEET_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  FLEET_LOG: z.enum(['json', 'pretty']).default('json'),
  APP_KEY: z.string().min(1).optional(),
  APP_VERSION: z.string().min(1).optional(),
  FLEET_APP_DEV_DOMAIN: z
    .string()
    .regex(
      /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
      'must be a domain in lowercase',
    )
    .default('fleet'),
  FLEET_GATEWAY_NAMES: dnsNames.default([]),
  FLEET_WEBSOCKET_PORT: ownPort.default(WEBSOCKET_PORT),
  FLEET_WEBSOCKET_ORIGINS: pageHosts.default([]),
  FLEET_ACME_DIRECTORY: z
    .string()
    .regex(/^https:\/\/[!-~]+$/, 'must be an https URL')
    .refine((url) => URL.canParse(url), 'must be an https URL')
    .optional(),
  FLEET_HIBERNATION_IDLE_SECONDS: bounded(HIBERNATION_DEFAULTS.idleSeconds, 1),
  FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS: bounded(HIBERNATION_DEFAULTS.dependencyIdleSeconds, 1),
  FLEET_HIBERNATION_SWEEP_SECONDS: bounded(HIBERNATION_DEFAULTS.sweepSeconds, 60, MOST_SECONDS),
  FLEET_HIBERNATION_WAKE_TIMEOUT_SECONDS: bounded(HIBERNATION_DEFAULTS.wakeSeconds, 5, MOST_SECONDS),
  FLEET_HIBERNATION_COLD_WAKE_TIMEOUT_SECONDS: bounded(
    HIBERNATION_DEFAULTS.coldWakeSeconds,
    60,
    MOST_SECONDS,
  ),
  FLEET_GATEWAY_RELEASE_MIN_FREE_MB: bounded(1024, 0),
  FLEET_GATEWAY_RELEASES_KEEP: bounded(3, 2),
  FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP: bounded(5, 1),
  FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS: bounded(600, 0, MOST_SECONDS),
  FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS: bounded(180, 60, MOST_SECONDS),
  FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT: bounded(90, 1, 600),
  FLEET_GATEWAY_VERIFY_ORIGIN: z
    .string()
    .regex(/^https:\/\/[^/]+$/, 'must be an https origin')
    .refine((origin) => URL.canParse(origin), 'must be an https origin')
    .optional(),
})

export type GatewayEnv = z.output<typeof schema>

export const settings: readonly Setting[] = [
  {
    name: 'FLEET_HOME',
    default: '/var/lib/fleet',
    meaning: 'Folder for all durable state: database, application key, certificates, SSH key.',
  },
  {
    name: 'FLEET_LISTEN',
    default: '127.0.0.1:8443',
    meaning: 'Addresses and ports of the HTTPS API, separated by commas. IPv6 addresses in brackets.',
  },
  {
    name: 'FLEET_DATABASE_URL',
    default: 'SQLite at FLEET_HOME/gateway.sqlite',
    meaning: 'A postgres:// URL stores all records in PostgreSQL.',
  },
  {
    name: 'FLEET_LOG',
    default: 'json',
    meaning: 'Log format on standard error: json (one object per line) or pretty (for people).',
  },
  {
    name: 'APP_KEY',
    default: 'the file FLEET_HOME/app.key, created at first start',
    meaning: 'Application key that encrypts stored secrets: `base64:` and 32 bytes in base64.',
  },
  {
    name: 'APP_VERSION',
    default: 'the commit of the release, or dev',
    meaning: 'Version that gateway:status reports.',
  },
  {
    name: 'FLEET_APP_DEV_DOMAIN',
    default: 'fleet',
    meaning: 'Private suffix of platform names and generated names, for example gateway.fleet.',
  },
  {
    name: 'FLEET_GATEWAY_NAMES',
    default: 'none',
    meaning:
      'Further DNS names under which clients reach the gateway besides gateway.<suffix>, separated by commas. Its certificate includes them. A request under any other name is refused with http.421.',
  },
  {
    name: 'FLEET_WEBSOCKET_PORT',
    default: String(WEBSOCKET_PORT),
    meaning:
      'Port of the WebSocket server on the tunnel address of its Node, from 1024 to 65535. A change takes effect when the Node has converged.',
  },
  {
    name: 'FLEET_WEBSOCKET_ORIGINS',
    default: 'the names of the gateway',
    meaning:
      'Hosts of further web pages that may connect to the WebSocket server, separated by commas: a name, *.name for all below it, or * for every page. Programs send no origin and are not affected. A change takes effect once the Node has converged.',
  },
  {
    name: 'FLEET_ACME_DIRECTORY',
    default: "Let's Encrypt, as Caddy has it",
    meaning:
      'Directory URL of the ACME server that issues public certificates. An ingress must trust its certificate. A change takes effect with the next build of an ingress.',
  },
  {
    name: 'FLEET_HIBERNATION_IDLE_SECONDS',
    default: '3600',
    meaning: 'A development Instance that nobody visits for so many seconds is put to sleep. At least 1.',
  },
  {
    name: 'FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS',
    default: '604800',
    meaning:
      'A sleeping Instance that nobody visits for so many seconds loses `vendor` and `node_modules`, which its next visitor brings back. At least 1.',
  },
  {
    name: 'FLEET_HIBERNATION_SWEEP_SECONDS',
    default: '600',
    meaning: 'Seconds between two looks at which Instances are idle. From 60 to 2,000,000.',
  },
  {
    name: 'FLEET_HIBERNATION_WAKE_TIMEOUT_SECONDS',
    default: '60',
    meaning:
      'Seconds in which the Processes of an Instance must be ready after it is woken. From 5 to 2,000,000.',
  },
  {
    name: 'FLEET_HIBERNATION_COLD_WAKE_TIMEOUT_SECONDS',
    default: '1800',
    meaning: 'The same for an Instance whose dependencies are installed again first. From 60 to 2,000,000.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASE_MIN_FREE_MB',
    default: '1024',
    meaning: 'Free space in MB that an upgrade of the gateway requires in /opt/fleet and FLEET_HOME.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASES_KEEP',
    default: '3',
    meaning: 'Number of gateway releases to keep installed, including the running one; at least 2.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP',
    default: '5',
    meaning: 'Number of database snapshots of upgrades to keep; at least 1.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS',
    default: '600',
    meaning:
      'Seconds that an upgrade waits for requests in progress before it stops them; at most 2,000,000.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS',
    default: '180',
    meaning: 'Seconds within which the jobs of a new release must have run once; from 60 to 2,000,000.',
  },
  {
    name: 'FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT',
    default: '90',
    meaning: 'Seconds within which a new release must pass its smoke check; from 1 to 600.',
  },
  {
    name: 'FLEET_GATEWAY_VERIFY_ORIGIN',
    default: 'the private HTTPS origin, https://gateway.<suffix> at the first listen address',
    meaning: 'Origin for the smoke check of an upgrade.',
  },
]

/** Reads the environment once. Prints every problem, then ends the process with status 2. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): GatewayEnv {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues)
    console.error(`${issue.path[0]?.toString() ?? 'environment'}: ${issue.message}`)
  return process.exit(2)
}
