import { MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript, type Reasons } from '#/nodes/api.ts'
import type { UnitReading } from '#/processes/commands/read-units.ts'
import type { Container } from '#/processes/containers/container.ts'

/** What a container is found by. */
export type ContainerPlace = Pick<Container, 'id' | 'name'>

export interface ContainerRequest {
  readonly container: Container
  readonly wanted: 'created' | 'running' | 'restarted'
}

/** Functions of scripts over containers, such as `look NAME`. */
export const CONTAINER_FUNCTIONS: string = textFile('containers.sh', import.meta.url)
/** `alone ID` of scripts that change the containers of a Process; refuses as `busy`. */
export const ALONE: string = textFile('alone.sh', import.meta.url)
const CONTAINERS = [START, CONTAINER_FUNCTIONS].join('\n')
const CHANGING = [CONTAINERS, ALONE].join('\n')

/** Longer than a program may take to end, by the time that its container gives it. */
const STOP_SECONDS = 150
/** An image may come from a registry. */
const PULL_SECONDS = 540

const NO_DOCKER = {
  code: 'node.capability_missing',
  message:
    'The Node has no Docker, which runs containers. The role `database` installs it (`fleet node:role:add <node> database`).',
  details: { capability: 'docker' },
} as const

const FOUND: Reasons = {
  'no-docker': NO_DOCKER,
  'docker-silent': [
    'process.runtime_failed',
    'Docker does not answer on the Node, also after an attempt to start it. See why (`journalctl -u docker`), then run the same command again.',
  ],
  foreign: 'process.container_conflict',
  failed: 'process.runtime_failed',
  busy: 'process.runtime_lock_failed',
}

/** Whether the Node has Docker at all. */
export const findDocker: NodeScript<undefined, void> = {
  source: programOf(textFile('find-docker.sh', import.meta.url), START),
  args: () => [],
  timeoutSeconds: 20,
  reasons: { 'no-docker': NO_DOCKER },
  broken: 'process.runtime_failed',
  read: confirmed('found'),
}

/** Creates the container if there is none with this digest, and starts it if asked for: one round trip (PROC-013). */
export const installContainer: NodeScript<
  ContainerRequest,
  { readonly created: boolean; readonly status: string }
> = {
  source: programOf(
    textFile('install-container.sh', import.meta.url),
    [CHANGING, textFile('replacing.sh', import.meta.url)].join('\n'),
  ),
  args: ({ wanted, container: { id, name, digest, restart, image, options, command } }) => [
    id,
    name,
    digest,
    wanted,
    restart,
    image,
    ...options,
    image,
    ...command,
  ],
  stdin: ({ container }) => container.variables,
  timeoutSeconds: PULL_SECONDS,
  isLong: true,
  reasons: {
    ...FOUND,
    'no-image': 'process.image_unavailable',
    'port-taken': 'process.port_unavailable',
    'disk-full': [
      'process.runtime_failed',
      'The disk of the Node is full, so Docker could not create the container. Free space, then run the same command again.',
    ],
    'no-mount': [
      'process.runtime_failed',
      'A volume of the Process cannot be mounted: its source does not exist on the Node. Create it, then run the same command again.',
    ],
    'no-command': [
      'process.runtime_failed',
      'The container cannot start: its image has no such program, or the program cannot be executed there.',
    ],
  },
  broken: 'process.runtime_failed',
  read: (answer) => ({ created: answer.flag('created'), status: statusIn(answer.text('status')) }),
}

/** Stops the container, also for the next start of Docker, and answers its status. */
export const stopContainer: NodeScript<ContainerPlace, string> = {
  source: programOf(textFile('stop-container.sh', import.meta.url), CHANGING),
  args: ({ id, name }) => [id, name],
  timeoutSeconds: STOP_SECONDS,
  reasons: FOUND,
  broken: 'process.runtime_failed',
  read: (answer) => statusIn(answer.text('status')),
}

export interface ContainerRemoval extends ContainerPlace {
  /** Its volumes without a name stay. */
  readonly keepsVolumes: boolean
}

/** Removes the container. */
export const removeContainer: NodeScript<ContainerRemoval, void> = {
  source: programOf(textFile('remove-container.sh', import.meta.url), CHANGING),
  args: ({ id, name, keepsVolumes }) => [id, name, keepsVolumes ? '' : 'with-volumes'],
  timeoutSeconds: STOP_SECONDS,
  reasons: FOUND,
  broken: 'process.runtime_failed',
  read: confirmed('removed'),
}

/** Status and usage of the containers that exist and carry the marker of their Process, by name. */
export const readContainers: NodeScript<readonly ContainerPlace[], ReadonlyMap<string, UnitReading>> = {
  source: programOf(textFile('read-containers.sh', import.meta.url), CONTAINERS),
  args: (places) => places.flatMap(({ id, name }) => [id, name]),
  timeoutSeconds: 30,
  reasons: { 'no-docker': NO_DOCKER, 'docker-silent': 'process.runtime_failed' },
  broken: 'process.runtime_failed',
  read: (answer) => {
    const nanoseconds = Number(answer.text('nanoseconds'))
    if (!(nanoseconds > 0)) throw new MalformedOutput('not a time')
    const [before, after] = [wordsIn(answer.text('before')), wordsIn(answer.text('after'))]
    return new Map(
      [...wordsIn(answer.text('states'))].map(([name, [status = '', memory]]) => {
        const [first, last] = [countIn(before.get(name)), countIn(after.get(name))]
        const cpu = first === null || last === null ? null : (Math.max(0, last - first) * 1000) / nanoseconds
        return [name, { status: statusIn(status), cpu, memoryBytes: countIn([memory ?? '']) }]
      }),
    )
  },
}

/** Lines of words, by the first of each. */
const wordsIn = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [name = '', ...words] = line.split(' ')
        return [name, words]
      }),
  )

const countIn = (words: readonly string[] | undefined): number | null =>
  /^\d{1,19}$/.test(words?.[0] ?? '') ? Number(words?.[0]) : null

function statusIn(text: string): string {
  if (!/^[a-z]{1,32}$/.test(text)) throw new MalformedOutput('not a state of a container')
  return text
}
