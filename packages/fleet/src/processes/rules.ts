import {
  connectionIn,
  fail,
  hasNameTwice,
  type InputOf,
  invalid,
  isProgram,
  NAME_TWICE,
  NO_PROGRAM,
  type ProcessPreset,
  type ProcessVolume,
  setTwice,
} from '@fleet/contract'
import type { StoredRuntime } from '@fleet/store'
import { nameOfVariable } from '#/processes/containers/variables.ts'
import type { ProcessOwner, ProcessRecord, ProcessRow } from '#/processes/record.ts'
import type { Compared } from '#/repeats.ts'

type Input = InputOf<'process:create'>

/** What a creation asks for, checked. */
export type ProcessRequest = Pick<
  ProcessRow,
  'name' | 'runtime' | 'runtime_config' | 'working_directory' | 'account' | 'restart_policy' | 'keep_alive'
> & {
  readonly start: boolean
  /** `NAME=VALUE` of a container, sorted by name. */
  readonly variables: readonly string[]
}

const DOCKER_ONLY = ['image', 'environment', 'ports', 'volumes'] as const
const OF_PRESET = ['runtime', 'command', 'working_directory', 'environment'] as const

/** Throws `validation.failed` for members that do not go together, and `process.preset_unavailable` (PROC-018 to PROC-027). */
export function requestOrRefuse(input: Input): ProcessRequest {
  const { preset, restart_policy = 'never', keep_alive = false } = input
  const given = preset === undefined ? ownCommand(input) : presetCommand(input, preset)
  const connections = connectionsOf(input)
  return {
    name: input.name,
    restart_policy,
    keep_alive: keep_alive ? 1 : 0,
    account: input.user ?? null,
    start: input.start ?? false,
    ...given,
    runtime_config: { ...given.runtime_config, ...(connections.length > 0 && { connections }) },
  }
}

/** By prefix, whatever their order in the request. */
function connectionsOf({ connections = [], environment }: Input) {
  const [twice] = setTwice(environment, connections)
  if (twice !== undefined) throw invalid({ environment: [`names ${twice}, which a connection sets`] })
  return connections.map(connectionIn).toSorted((one, other) => (one.prefix < other.prefix ? -1 : 1))
}

type Given = Pick<ProcessRequest, 'runtime' | 'runtime_config' | 'working_directory' | 'variables'>

function ownCommand(input: Input): Given {
  const { runtime, command, working_directory = null } = input
  if (runtime === undefined) throw invalid({ runtime: ['is required without a preset'] })
  if (command === undefined) throw invalid({ command: ['is required without a preset'] })
  if (runtime === 'systemd') requireUnit(input, command)
  if (input.user !== undefined && (runtime !== 'systemd' || input.target_type !== 'node'))
    throw invalid({ user: ['is only for a systemd Process of a Node'] })
  if (runtime === 'docker') return { runtime, working_directory, ...containerConfig(input, command) }
  return { runtime, runtime_config: { command, preset: null }, working_directory, variables: [] }
}

function containerConfig(
  { image, environment = [], ports = [], volumes = [] }: Input,
  command: readonly string[],
): Pick<Given, 'runtime_config' | 'variables'> {
  if (image === undefined) throw invalid({ image: ['is required for the runtime docker'] })
  if (hasNameTwice(environment)) throw invalid({ environment: [NAME_TWICE] })
  const variables = environment.toSorted()
  const container = { image, ports, volumes, variables: variables.map(nameOfVariable) }
  return { runtime_config: { command, preset: null, container }, variables }
}

function requireUnit(input: Input, command: readonly string[]): void {
  for (const name of DOCKER_ONLY)
    if (input[name] !== undefined) throw invalid({ [name]: ['is only for the runtime docker'] })
  if (!isProgram(command[0] ?? '')) throw invalid({ command: [NO_PROGRAM] })
}

function presetCommand(input: Input, preset: ProcessPreset): Given {
  const extra = [...OF_PRESET, ...DOCKER_ONLY].find((name) => input[name] !== undefined)
  if (extra !== undefined) throw invalid({ [extra]: ['is set by the preset'] })
  if (input.user !== undefined) throw invalid({ user: ['is only for a systemd Process of a Node'] })
  if (input.target_type !== 'instance') throw invalid({ preset: ['is only for an Instance'] })
  if (preset !== 'vp-dev') throw fail('process.preset_unavailable', { details: { preset } })
  return {
    runtime: 'systemd',
    runtime_config: { command: [], preset },
    working_directory: null,
    variables: [],
  }
}

/**
 * The command as it runs. A preset takes what it needs from the Instance as it is now, so that its unit follows a changed
 * port.
 */
export function commandOf({ command, preset }: StoredRuntime, { instance }: ProcessOwner): readonly string[] {
  if (preset === null) return command
  return [
    '/usr/bin/env',
    'vp',
    'dev',
    '--host',
    '127.0.0.1',
    '--port',
    String(instance?.vite_port),
    '--strictPort',
  ]
}

/** Throws `validation.failed` for a preset on an Instance that has no development server (PROC-020). */
export function requirePresetTarget({ runtime_config }: ProcessRequest, { instance }: ProcessOwner): void {
  if (runtime_config.preset === null) return
  if (instance?.environment === 'production' || typeof instance?.vite_port !== 'number')
    throw invalid({ preset: ['needs a development Instance with a port for its development server'] })
}

/** Whether the stored Process is what is asked for; its desired state is not part of that (PROC-028). */
export function compared(
  stored: ProcessRow,
  variables: readonly string[],
  request: Omit<ProcessRequest, 'start'>,
): Compared {
  const config = orderedConfig(stored)
  const wanted = orderedConfig(request)
  const isSame = (member: keyof typeof config): boolean =>
    JSON.stringify(config[member]) === JSON.stringify(wanted[member])
  return {
    runtime: stored.runtime === request.runtime,
    preset: isSame('preset'),
    // A preset sets the command.
    command: !isSame('preset') || isSame('command'),
    image: isSame('image'),
    ports: isSame('ports'),
    volumes: isSame('volumes'),
    environment: JSON.stringify(variables) === JSON.stringify(request.variables),
    connections: isSame('connections'),
    working_directory: stored.working_directory === request.working_directory,
    user: stored.account === request.account,
    restart_policy: stored.restart_policy === request.restart_policy,
    keep_alive: stored.keep_alive === request.keep_alive,
  }
}

const orderedConfig = ({ runtime_config }: Pick<ProcessRow, 'runtime_config'>) => {
  const { command, preset, container, connections = [] } = runtime_config
  return {
    preset,
    command,
    image: container?.image,
    ports: container?.ports ?? [],
    volumes: (container?.volumes ?? []).map(ordered),
    connections: connections.map(({ slug, prefix }) => [slug, prefix]),
  }
}

const ordered = ({ source, target, read_only }: ProcessVolume) => [source, target, read_only]

/** What runs of itself at the start of the Node: nothing of a development Instance (PROC-030). */
export const startsAtBoot = ({ owner, environment }: Pick<ProcessRecord, 'owner' | 'environment'>): boolean =>
  owner.type === 'node' || environment === 'production'
