import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Setting } from '@fleet/gateway'
import * as z from 'zod'

const CHECKOUT = resolve(import.meta.dirname, '../../..')
const DEFAULT_HOME = join(CHECKOUT, '.fleet')
/** The third and fourth numbers of 127.44.0.x stay readable up to here. */
const MAX_NODES = 200
/** Leaves room above it for the ports of the other services. */
const MAX_PORT = 65_000

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

const proxy = z.string().min(1).optional()

const schema = z.object({
  FLEET_HOME: z
    .string()
    .transform((path) => resolve(path))
    .default(DEFAULT_HOME),
  FLEET_EMBEDDED_PORT: wholeNumber(1, MAX_PORT).default(8443),
  FLEET_EMBEDDED_NODES: wholeNumber(1, MAX_NODES).default(2),
  FLEET_EMBEDDED_SAMPLE: z.enum(['0', '1'], 'must be 0 or 1').default('1'),
  FLEET_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  FLEET_LOG: z.enum(['json', 'pretty'], 'must be json or pretty').optional(),
  APP_KEY: z.string().optional(),
  APP_VERSION: z.string().default('dev'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  LANG: z.string().default('C.UTF-8'),
  https_proxy: proxy,
  http_proxy: proxy,
  no_proxy: proxy,
})

/** The settings of one run of the embedded fleet. */
export interface EmbeddedEnv {
  /** Absolute. */
  readonly home: string
  readonly isDefaultHome: boolean
  readonly port: number
  readonly nodes: number
  readonly sample: boolean
  readonly databaseUrl: string | undefined
  /** Where the gateway logs: lines on standard error, or a file below the home when undefined. */
  readonly log: 'json' | 'pretty' | undefined
  readonly appKey: string | undefined
  readonly version: string
  /** PATH, LANG and proxies for programs that this process starts. Loopback never goes through a proxy. */
  readonly programs: Readonly<Record<string, string>>
}

export const settings: readonly Setting[] = [
  {
    name: 'FLEET_HOME',
    default: '.fleet in the checkout',
    meaning: 'Folder for all durable state. Every embedded fleet needs its own.',
  },
  {
    name: 'FLEET_EMBEDDED_PORT',
    default: '8443',
    meaning: `Port of the HTTPS API on 127.0.0.1, at most ${MAX_PORT}. The other services use free ports slightly above it.`,
  },
  {
    name: 'FLEET_EMBEDDED_NODES',
    default: '2',
    meaning: `Number of embedded Nodes, 1 to ${MAX_NODES}, from 127.44.0.11 on.`,
  },
  {
    name: 'FLEET_EMBEDDED_SAMPLE',
    default: '1',
    meaning: '1 runs the sample project at the first start, 0 starts an empty fleet.',
  },
  {
    name: 'FLEET_DATABASE_URL',
    default: 'SQLite at FLEET_HOME/gateway.sqlite',
    meaning: 'A postgres:// URL stores all records in PostgreSQL.',
  },
  {
    name: 'FLEET_LOG',
    default: 'JSON lines in FLEET_HOME/gateway.log',
    meaning: 'json or pretty writes the gateway log to standard error instead.',
  },
  {
    name: 'APP_KEY',
    default: 'the file FLEET_HOME/app.key, created at first start',
    meaning: 'Application key that encrypts stored secrets: `base64:` and 32 bytes in base64.',
  },
  { name: 'APP_VERSION', default: 'dev', meaning: 'Version that gateway:status reports.' },
]

/** Reads the environment once. Prints every problem, then ends the process with status 2. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): EmbeddedEnv {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse({ ...capitalProxies(given), ...given })
  if (parsed.success) return present(parsed.data)
  for (const issue of parsed.error.issues)
    console.error(`${issue.path[0]?.toString() ?? 'environment'}: ${issue.message}`)
  return process.exit(2)
}

// Both spellings are in use; curl and Git read the lower-case ones for every scheme.
const capitalProxies = (given: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  https_proxy: given['HTTPS_PROXY'],
  http_proxy: given['HTTP_PROXY'],
  no_proxy: given['NO_PROXY'],
})

function present(env: z.output<typeof schema>): EmbeddedEnv {
  return {
    home: env.FLEET_HOME,
    isDefaultHome: env.FLEET_HOME === DEFAULT_HOME,
    port: env.FLEET_EMBEDDED_PORT,
    nodes: env.FLEET_EMBEDDED_NODES,
    sample: env.FLEET_EMBEDDED_SAMPLE === '1',
    databaseUrl: env.FLEET_DATABASE_URL,
    log: env.FLEET_LOG,
    appKey: env.APP_KEY,
    version: env.APP_VERSION,
    programs: {
      PATH: env.PATH,
      LANG: env.LANG,
      no_proxy: [env.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(','),
      ...(env.https_proxy === undefined ? {} : { https_proxy: env.https_proxy }),
      ...(env.http_proxy === undefined ? {} : { http_proxy: env.http_proxy }),
    },
  }
}

/** Whether the command line has an active gateway, as it finds its profiles. Of a file that it cannot read it says so itself. */
export function hasStoredGateway(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { HOME = '/', XDG_CONFIG_HOME } = environment
  const folder =
    XDG_CONFIG_HOME === undefined || XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME
  try {
    const stored: unknown = JSON.parse(readFileSync(join(folder, 'fleet', 'gateways.json'), 'utf8'))
    return (
      typeof stored === 'object' && stored !== null && 'active' in stored && typeof stored.active === 'string'
    )
  } catch {
    return false
  }
}
