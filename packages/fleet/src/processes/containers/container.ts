import type { RestartPolicy } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import type { StoredRuntime } from '@fleet/store'
import { processUnitName } from '#/agents/api.ts'
import { sha256 } from '#/managed-services/api.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { STOP_SECONDS, workingDirectoryOf } from '#/processes/unit.ts'

/** A container as it is created (PROC-009, PROC-010). */
export interface Container {
  readonly id: number
  readonly name: string
  readonly image: string
  /** Of everything below; a container with another one is created anew. */
  readonly digest: string
  readonly restart: DockerPolicy
  readonly options: readonly string[]
  readonly command: readonly string[]
  /** A line `NAME=VALUE` for each. */
  readonly variables: Secret
}

/** Of each log of a container, three of which are kept: Docker's default has no limit. */
const LOG_MAX_MEGABYTES = 16
const LOG_FILES = 3

const POLICY = {
  never: 'no',
  'on-failure': 'on-failure',
  always: 'always',
  'unless-stopped': 'unless-stopped',
} as const satisfies Record<RestartPolicy, string>
export type DockerPolicy = (typeof POLICY)[RestartPolicy]

/** Nothing of a development Node comes back against the will of who stopped it (PROC-031). */
export const dockerPolicyOf = ({
  restart_policy,
  node,
}: Pick<ProcessRecord, 'restart_policy' | 'node'>): DockerPolicy =>
  restart_policy === 'always' && node.activeRoles.includes('app-dev')
    ? 'unless-stopped'
    : POLICY[restart_policy]

/** Variables that one container gets and the next one does not: a container without them has another digest. */
export type OnceVariables = ReadonlyMap<string, Secret>

export const containerOf = (
  process: ProcessRecord,
  container: NonNullable<StoredRuntime['container']>,
  variables: readonly string[],
  once: OnceVariables = new Map(),
): Container => {
  const { image } = container
  const { command } = process.runtime_config
  const options = optionsOf(workingDirectoryOf(process), container)
  // The values of the variables for once are in nothing that stays.
  const spec = { image, options, command, variables, once: [...once.keys()] }
  return {
    id: process.id,
    name: processUnitName(process),
    image,
    digest: sha256(JSON.stringify(spec)),
    restart: dockerPolicyOf(process),
    options,
    command,
    variables: new Secret(
      [...variables, ...[...once].map(([name, value]) => `${name}=${value.reveal()}`)].join('\n'),
    ),
  }
}

const optionsOf = (
  directory: string,
  { ports, volumes }: NonNullable<StoredRuntime['container']>,
): readonly string[] => [
  `--workdir=${directory}`,
  `--stop-timeout=${STOP_SECONDS}`,
  '--log-driver=json-file',
  `--log-opt=max-size=${LOG_MAX_MEGABYTES}m`,
  `--log-opt=max-file=${LOG_FILES}`,
  ...ports.map((port) => `--publish=${port}`),
  ...volumes.map(({ source, target, read_only }) => {
    const type = source.startsWith('/') ? 'bind' : 'volume'
    const parts = [`type=${type}`, `source=${source}`, `target=${target}`, ...(read_only ? ['readonly'] : [])]
    return `--mount=${parts.map(csv).join(',')}`
  }),
]

/** Docker reads the option as one line of CSV (RFC 4180). */
const csv = (field: string): string => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)
