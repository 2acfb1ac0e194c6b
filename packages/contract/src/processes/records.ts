import * as z from 'zod'
import { DEFAULT_DATABASE_PREFIX, databaseKeys } from '../databases/records.ts'
import { id } from '../params.ts'

export const processTargets = ['instance', 'node'] as const
export type ProcessTarget = (typeof processTargets)[number]

export const processRuntimes = ['systemd', 'docker'] as const
export type ProcessRuntime = (typeof processRuntimes)[number]

export const processPresets = ['vp-dev', 'agentation-mcp', 'antigravity-watch', 'annotator'] as const
export type ProcessPreset = (typeof processPresets)[number]

export const restartPolicies = ['never', 'on-failure', 'always', 'unless-stopped'] as const
export type RestartPolicy = (typeof restartPolicies)[number]

export const desiredStates = ['running', 'stopped'] as const
export type DesiredState = (typeof desiredStates)[number]

export const processStatuses = ['creating', 'active', 'failed', 'removing'] as const
export type ProcessStatus = (typeof processStatuses)[number]

/** Bytes of one argument, environment entry or path (PROC-019, PROC-022, PROC-023, PROC-025). */
export const PROCESS_TEXT_MAX_BYTES = 4096

const encoder = new TextEncoder()
const isShort = (text: string): boolean => encoder.encode(text).length <= PROCESS_TEXT_MAX_BYTES
// oxlint-disable-next-line no-control-regex -- A variable holds no NUL, and `\0` is not read by the expressions of every language.
const ASSIGNMENT = /^[A-Za-z_]\w*=[^\x00\r\n]*$/
const bounded = z.string().refine(isShort, `must be at most ${PROCESS_TEXT_MAX_BYTES} bytes`)

/** Without control characters, which no unit file can hold. */
const path = bounded.regex(/^[^\p{Cc}]+$/u, 'must be a path without control characters')

/** Absolute and without `..`. At the end of a line, systemd takes a backslash for its continuation, and blanks away. */
const workingDirectory = path.refine(
  (text) =>
    text.startsWith('/') && !text.includes('\\') && !text.split('/').includes('..') && !text.endsWith(' '),
  'must be an absolute path without `..` and backslashes, and with no blank at its end',
)

const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='))

/** Whether a container would get a variable twice. */
export const hasNameTwice = (environment: readonly string[]): boolean =>
  new Set(environment.map(nameOf)).size < environment.length
export const NAME_TWICE = 'has a name twice'

const MAX_PORT = 65_535
const PORT =
  /^(?:(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3}):)?([1-9]\d{0,4}):([1-9]\d{0,4})(?:\/(?:tcp|udp))?$/

/** `[IPv4:]host:container[/tcp or /udp]` (PROC-024). */
const publishedPort = z.string().refine((text) => {
  const [, ...parts] = PORT.exec(text) ?? []
  if (parts.length === 0) return false
  const octets = parts.slice(0, 4).filter((octet) => octet !== undefined)
  return (
    octets.every((octet) => Number(octet) <= 255) && parts.slice(4).every((port) => Number(port) <= MAX_PORT)
  )
}, 'must be `[IPv4:]host:container`, with `/tcp` or `/udp` after it if needed')

/** A folder or file of the Node, or the name of a volume of Docker's. */
const volumeSource = path.regex(
  /^(?:\/.*|[A-Za-z0-9][\w.-]+)$/,
  'must be an absolute path or the name of a volume',
)
const volumeTarget = path.refine(
  (text) => text.startsWith('/') && !text.split('/').includes('..'),
  'must be an absolute path without `..`',
)

export const processVolume = z.strictObject({
  source: volumeSource,
  target: volumeTarget,
  read_only: z.boolean().default(false),
})
export type ProcessVolume = z.output<typeof processVolume>

/** As Docker names images: never the beginning of an option. */
const image = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][\w./:@-]*$/, 'must be the name of an image')

const CONNECTIONS_MAX = 20

/** A database connection that a Process depends on, and the name before the keys that it gets of it. */
export interface ProcessConnection {
  readonly slug: string
  readonly prefix: string
}

/** Reads `SLUG` or `SLUG:PREFIX`. */
export function connectionIn(text: string): ProcessConnection {
  const [slug = '', prefix = DEFAULT_DATABASE_PREFIX] = text.split(':')
  return { slug, prefix }
}

/** What `connectionIn` reads back. */
export const connectionText = ({ slug, prefix }: ProcessConnection): string => `${slug}:${prefix}`

/** Beyond the specification, which speaks of Processes that depend on a connection and has no field for it (decision 0254). */
const connections = z
  .array(
    z
      .string()
      .regex(
        /^(?=[^:]{1,63}(?::|$))[a-z0-9]+(?:-[a-z0-9]+)*(?::[A-Z][A-Z0-9_]{0,31})?$/,
        'must be the slug of a database connection, with `:PREFIX` after it if needed',
      ),
  )
  .max(CONNECTIONS_MAX)
  .refine((texts) => {
    const prefixes = texts.map((text) => connectionIn(text).prefix)
    return new Set(prefixes).size === prefixes.length
  }, 'must have each prefix once')

/** The variables of a container that its connections set as well. */
export function setTwice(
  environment: readonly string[] = [],
  uses: readonly string[] = [],
): readonly string[] {
  const taken = new Set(
    uses.flatMap((text) => databaseKeys.map((key) => `${connectionIn(text).prefix}_${key}`)),
  )
  return environment.map(nameOf).filter((name) => taken.has(name))
}

/** Whether systemd can run the first item of a command: the absolute path of a program. */
export const isProgram = (text: string): boolean => /^\/[^\p{Cc}\\]*[^/\p{Cc}\\]$/u.test(text)
export const NO_PROGRAM = 'must begin with the absolute path of a program'

/** Members of a specification that both a creation and a definition of a Project take. */
export const processSpec = {
  command: z
    .array(bounded)
    .min(1)
    .max(64)
    .describe('Program and arguments. For systemd the program is an absolute path.'),
  image: image.optional().describe('Image of a container. Docker only, which requires it.'),
  working_directory: workingDirectory
    .optional()
    .describe(
      'Default: the application directory of the Instance, the home of the account of a Node, or `/app` in a container.',
    ),
  environment: z
    .array(bounded.regex(ASSIGNMENT, 'must be NAME=VALUE without line breaks'))
    .max(100)
    .optional()
    .describe('Variables of a container as NAME=VALUE. Docker only.'),
  ports: z
    .array(publishedPort)
    .max(100)
    .optional()
    .describe('Published ports as `[IPv4:]host:container[/tcp or /udp]`. Docker only.'),
  volumes: z.array(processVolume).max(100).optional().describe('Mounts of a container. Docker only.'),
  connections: connections
    .optional()
    .describe(
      'Database connections that it depends on, each as `SLUG` or `SLUG:PREFIX`: it gets `<PREFIX>_CONNECTION`, `_HOST`, `_PORT`, `_DATABASE`, `_USERNAME` and `_PASSWORD` as variables, as far as the driver has them, and restarts with the new values when the connection changes. Default of the prefix: `DB`.',
    ),
  restart_policy: z.enum(restartPolicies).optional().describe('Default: `never`.'),
  keep_alive: z.boolean().optional().describe('Keep it running when an idle Instance is stopped.'),
} as const

export const processName = z
  .string()
  .regex(/^[a-z0-9-]{1,63}$/, 'must be 1 to 63 lowercase letters, digits or hyphens')

/** A chosen account (PROC-027). */
export const processUser = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,31}$/, 'must be the name of an account')
  .refine((name) => name !== 'root', 'must not be root')

/** Mounts of a container, as they are shown. */
export const shownVolumes = z.array(
  z.strictObject({ source: z.string(), target: z.string(), read_only: z.boolean() }),
)

/** What a Process runs, as it is shown (PROC-003). */
export const runtimeConfig = z.strictObject({
  command: z.array(z.string()),
  /** Null for a command of the caller's own. */
  preset: z.enum(processPresets).nullable(),
  /** Null for a unit of systemd. */
  image: z.string().nullable(),
  /** `NAME=[REDACTED]`. */
  environment: z.array(z.string()),
  ports: z.array(z.string()),
  volumes: shownVolumes,
  /** `SLUG:PREFIX`; absent without any. Beyond the specification (decision 0254). */
  connections: z.array(z.string()).optional(),
})
export type RuntimeConfig = z.output<typeof runtimeConfig>

/** A Process and what was last observed of it (PROC-001 to PROC-008). */
export const process = z.strictObject({
  id,
  target_type: z.enum(processTargets),
  target_id: id,
  name: processName,
  runtime: z.enum(processRuntimes),
  working_directory: z.string(),
  runtime_config: runtimeConfig,
  restart_policy: z.enum(restartPolicies),
  keep_alive: z.boolean(),
  /** The account that was chosen; null for that of the Node or Instance. */
  user: z.string().nullable(),
  desired_state: z.enum(desiredStates),
  status: z.enum(processStatuses),
  /** In the runtime's own words, such as `active` or `failed` of systemd; null when no source answers. */
  runtime_status: z.string().nullable(),
  failed_step: z.string().nullable(),
  error_code: z.string().nullable(),
  /** Share of one core; null without a sample. */
  cpu: z.number().min(0).nullable(),
  memory_bytes: z.int().min(0).nullable(),
})
export type ProcessData = z.output<typeof process>
