import { lstat } from 'node:fs/promises'
import type { Clock } from '@fleet/kernel'
import { isObject } from '../gateway.ts'
import { Lines } from '../logs/lines.ts'
import { Merged } from '../merged.ts'
import type { Board } from './board.ts'
import { type Docker, DockerFailure } from './docker-socket.ts'
import { isStopped } from './systemctl.ts'
import { isUnitName, UNIT_PREFIX } from './unit.ts'

const AGAIN_MILLISECONDS = 5000
/** Several events of one action are answered by one look at the container. */
const TOGETHER_MILLISECONDS = 50
/** Should an event ever be lost, this ends what it left wrong. */
const READ_AGAIN_MILLISECONDS = 60_000
const EVENT_MAX_BYTES = 64 * 1024
const EVENTS = [
  'create',
  'start',
  'die',
  'stop',
  'kill',
  'pause',
  'unpause',
  'destroy',
  'rename',
  'restart',
  'oom',
]

export interface DockerDeps {
  readonly docker: Docker
  readonly socket: string
  readonly clock: Clock
  /** Whether somebody stopped Docker on purpose: to connect to its socket would start it again. */
  readonly isStopped?: (signal: AbortSignal) => Promise<boolean>
}

/** Keeps the containers of the board from Docker's own events until the signal aborts; Docker may come and go. */
export async function watchDocker(board: Board, deps: DockerDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (await isThere(deps, signal)) await follow(board, deps, signal).catch(() => undefined)
    if (signal.aborted) return
    board.setDocker('absent')
    board.settle('docker')
    await deps.clock.sleep(AGAIN_MILLISECONDS, signal)
  }
}

async function isThere(
  { socket, isStopped: stopped = dockerStopped }: DockerDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await lstat(socket).catch(() => undefined)
  return found?.isSocket() === true && !(await stopped(signal))
}

const dockerStopped = (signal: AbortSignal): Promise<boolean> => isStopped('docker.service', signal)

/** Until Docker ends the events. */
async function follow(board: Board, { docker, clock }: DockerDeps, signal: AbortSignal): Promise<void> {
  using scope = new Scope(signal)
  const filters = encodeURIComponent(JSON.stringify({ type: ['container'], event: EVENTS }))
  // The events first: what happens between them and the list is in one of the two.
  const events = await docker.stream(`/events?filters=${filters}`, scope.signal)
  await readContainers(board, docker, scope.signal)
  board.setDocker('available')
  const readAgain = (): Promise<void> =>
    // A Docker that cannot say what runs is one that is gone.
    readContainers(board, docker, scope.signal).catch(() => scope.end())
  const touched = new Merged<string>(
    { clock, milliseconds: TOGETHER_MILLISECONDS, signal: scope.signal },
    (names) => {
      void readNamed(board, docker, names, scope.signal).catch(() => scope.end())
    },
  )
  void repeat(clock, scope.signal, readAgain)
  const lines = new Lines(EVENT_MAX_BYTES)
  const arriving: AsyncIterable<Buffer> = events
  for await (const chunk of arriving)
    for (const line of lines.take(chunk)) for (const name of namesOf(line.text)) touched.add(name)
}

/** Ends what was begun within it. */
class Scope implements Disposable {
  readonly #controller = new AbortController()
  readonly signal: AbortSignal
  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#controller.signal])
  }
  end(): void {
    this.#controller.abort()
  }
  [Symbol.dispose](): void {
    this.end()
  }
}

/** Both names of a container that an event renamed. */
function namesOf(line: string): readonly string[] {
  const event = parsed(line)
  const actor = isObject(event) && isObject(event['Actor']) ? event['Actor']['Attributes'] : undefined
  const names = isObject(actor) ? [actor['name'], actor['oldName']] : []
  return names
    .filter((name) => typeof name === 'string')
    .map(withoutSlash)
    .filter(isUnitName)
}

/** One by one: Docker's list is behind its events while it cleans up after a container. */
async function readNamed(
  board: Board,
  docker: Docker,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    const found = await docker.read(`/containers/${encodeURIComponent(name)}/json`, signal).catch(orMissing)
    const state = isObject(found) && isObject(found['State']) ? found['State']['Status'] : undefined
    if (typeof state === 'string') board.set({ name, runtime: 'docker', runtime_status: state })
    else board.remove('docker', name)
    board.touch('docker', name)
  }
}

function orMissing(error: unknown): undefined {
  if (error instanceof DockerFailure && error.status === 404) return
  throw error
}

async function readContainers(board: Board, docker: Docker, signal: AbortSignal): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ name: [`^/${UNIT_PREFIX}`] }))
  const rows = await docker.read(`/containers/json?all=1&filters=${filters}`, signal)
  board.replace('docker', Array.isArray(rows) ? rows.flatMap(containerOf) : [])
}

function containerOf(row: unknown): readonly { readonly name: string; readonly runtime_status: string }[] {
  if (!isObject(row) || !Array.isArray(row['Names']) || typeof row['State'] !== 'string') return []
  const { State: runtime_status } = row
  return row['Names']
    .filter((name) => typeof name === 'string')
    .map(withoutSlash)
    .filter(isUnitName)
    .map((name) => ({ name, runtime_status }))
}

const withoutSlash = (name: string): string => name.replace(/^\//, '')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function repeat(clock: Clock, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(READ_AGAIN_MILLISECONDS, signal)
    if (!signal.aborted) await work()
  }
}
