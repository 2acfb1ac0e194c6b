import * as z from 'zod'

/** One setting of a process, as the generated settings page prints it. */
export interface Setting {
  readonly name: string
  /** What holds when it is unset, in words where it is no literal. */
  readonly default: string
  readonly meaning: string
}

const listen = z.string().transform((text, context) =>
  text.split(',').map((part) => {
    const match = /^\s*(?:\[([0-9a-fA-F:]+)\]|([0-9.]+)):(\d{1,5})\s*$/.exec(part)
    const port = Number(match?.[3])
    if (!match || port > 65_535) context.addIssue('must be address:port, or several joined by commas')
    return { address: match?.[1] ?? match?.[2] ?? '', port }
  }),
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
})

export type GatewayEnv = z.output<typeof schema>

export const settings: readonly Setting[] = [
  {
    name: 'FLEET_HOME',
    default: '/var/lib/fleet',
    meaning: 'Folder of all durable state: database, application key, certificates, SSH key.',
  },
  {
    name: 'FLEET_LISTEN',
    default: '127.0.0.1:8443',
    meaning: 'Addresses and ports of the HTTPS API, joined by commas. IPv6 addresses stand in brackets.',
  },
  {
    name: 'FLEET_DATABASE_URL',
    default: 'SQLite at FLEET_HOME/gateway.sqlite',
    meaning: 'A postgres:// URL moves all records to PostgreSQL.',
  },
  {
    name: 'FLEET_LOG',
    default: 'json',
    meaning: 'json writes one object a line, pretty a line for people; both on standard error.',
  },
  {
    name: 'APP_KEY',
    default: 'the file FLEET_HOME/app.key, made on first start',
    meaning: 'Application key that seals stored secrets: base64: and 32 bytes.',
  },
  {
    name: 'APP_VERSION',
    default: 'the commit of the release, or dev',
    meaning: 'Version that gateway:status reports.',
  },
]

/** Reads the environment once. Every problem is told, then the process ends with status 2. */
export function readEnv(environment: NodeJS.ProcessEnv = process.env): GatewayEnv {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues)
    console.error(`${issue.path[0]?.toString() ?? 'environment'}: ${issue.message}`)
  return process.exit(2)
}
