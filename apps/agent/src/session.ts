import { type Clock, within } from '@fleet/kernel'
import type { Connection, PusherMessage } from '@fleet/pusher-client'
import { type Gateway, GatewayFailure, isObject } from './gateway.ts'
import { makeReader } from './logs/reader.ts'
import { LogStreams } from './logs/streams.ts'
import { Merged } from './merged.ts'
import type { Realtime } from './realtime.ts'
import { Snapshots } from './snapshots.ts'
import { type Numbers, StatePublisher } from './state-publisher.ts'
import { Board } from './units/board.ts'
import { watchDocker } from './units/docker.ts'
import { makeDocker } from './units/docker-socket.ts'
import { watchSystemd } from './units/systemd.ts'
import { AGENT_VERSION } from './version.ts'
import { Workspaces } from './workspaces/watch.ts'

const ROOT = 0
/** LIM-013 */
const HEARTBEAT_MILLISECONDS = 5000
/** AG-021 */
const MERGE_MILLISECONDS = 250
/** Changes of more units than this at once are reported as a snapshot. */
const SINGLE_UNITS_MAX = 10
/** Nothing listens there, so a container's log is unavailable. */
const NO_SOCKET = '/nonexistent'
/** How long the first snapshot waits for a runtime that does not answer. */
const KNOWN_MILLISECONDS = 2000
/** How long the next session waits for the work of this one, which a dead file system may hold. */
const LEFT_MILLISECONDS = 5000

/** Where the machine's own services answer; undefined where the agent has nothing to do with them. */
export interface Machine {
  readonly bus: string | undefined
  readonly docker: string | undefined
  /** Applications and agent are one user, so that no link could lead an application to files that are not its own. */
  readonly hasOneUser?: boolean
}

export interface SessionDeps {
  readonly gateway: Gateway
  readonly clock: Clock
  readonly numbers: Numbers
  readonly machine: Machine
  readonly say: (line: string) => void
}

/**
 * Everything that an agent does on one connection: it joins its two channels, reports the machine and reads logs until
 * the connection ends. `joined` is called once it is a member of both. Rejects when it could not join, or with the end
 * of the connection undone.
 */
export async function runSession(
  deps: SessionDeps,
  realtime: Pick<Realtime, 'channel' | 'log_channel'>,
  connection: Connection,
  joined: () => void,
): Promise<void> {
  using scope = new Scope()
  const { signal } = scope
  void connection.closed.then(() => scope.end())
  const { gateway, clock, machine, numbers, say } = deps
  const { channel, log_channel: logChannel } = realtime
  const publisher = new StatePublisher(connection, channel, numbers, clock)
  const docker = makeDocker(machine.docker ?? NO_SOCKET, clock)
  const changes = new Merged<string>({ clock, milliseconds: MERGE_MILLISECONDS, signal }, (keys) => {
    if (keys.size > SINGLE_UNITS_MAX) snapshots.ask()
    else if (snapshots.begun)
      for (const key of keys) publisher.report('client-process', { unit: board.unit(key) })
  })
  const board = new Board({ changed: (key) => changes.add(key), dockerChanged: () => snapshots.ask() })
  const workspaces = new Workspaces({
    gateway,
    clock,
    listener: {
      listChanged: () =>
        snapshots.begun && publisher.reportList('client-workspaces', 'workspaces', workspaces.states),
      changed: (workspace) => snapshots.begun && publisher.report('client-workspace', { workspace }),
    },
  })
  const snapshots = new Snapshots(clock, connection, () => {
    changes.clear()
    publisher.reportList('client-snapshot', 'units', board.units, { docker: board.docker })
    publisher.reportList('client-workspaces', 'workspaces', workspaces.states)
  })
  const logs = new LogStreams(
    {
      gateway,
      connection,
      channel: logChannel,
      clock,
      reader: makeReader({ docker, clock, refusedOwner: machine.hasOneUser ? undefined : ROOT }),
      say,
    },
    signal,
  )
  connection.onMessage((message) => {
    // An error means that the server dropped something of ours; a snapshot makes up for it.
    if (isArrival(message, channel) || message.event === 'pusher:error') snapshots.ask()
    if (isNotice(message, logChannel)) logs.changed()
  })

  const { bus, docker: socket } = machine
  if (bus === undefined) board.settle('systemd')
  if (socket === undefined) board.settle('docker')
  const working = [
    ...(bus === undefined ? [] : [watchSystemd(board, { clock, socket: bus }, signal)]),
    ...(socket === undefined ? [] : [watchDocker(board, { docker, socket, clock }, signal)]),
  ]
  try {
    await join(gateway, connection, channel, signal)
    working.push(beat(publisher, clock, signal))
    await join(gateway, connection, logChannel, signal)
    joined()
    working.push(logs.run(), workspaces.run(signal))
    await Promise.race([board.known, clock.sleep(KNOWN_MILLISECONDS, signal)])
    working.push(snapshots.run(signal))
    await connection.closed
  } finally {
    scope.end()
    await within(clock, LEFT_MILLISECONDS, Promise.all(working))
  }
}

/** Ends what was begun within it. */
class Scope implements Disposable {
  readonly #controller = new AbortController()
  readonly signal = this.#controller.signal
  end(): void {
    this.#controller.abort()
  }
  [Symbol.dispose](): void {
    this.end()
  }
}

/** AG-012, AGT-004. Throws GatewayFailure and ConnectionFailure. */
async function join(
  gateway: Gateway,
  connection: Connection,
  channel: string,
  signal: AbortSignal,
): Promise<void> {
  const request = { socket_id: connection.socketId, channel_name: channel, version: AGENT_VERSION }
  const answer = await gateway.authorize(request, signal)
  const { auth, channel_data } = isObject(answer) ? answer : {}
  if (typeof auth !== 'string' || typeof channel_data !== 'string')
    throw new GatewayFailure('malformed_answer')
  await connection.subscribe(channel, { auth, channel_data })
}

const isArrival = ({ event, channel }: PusherMessage, own: string): boolean =>
  channel === own && event === 'pusher:member_added'

/** Events of the gateway carry no sender; a member's own event of that name would begin with `client-`. */
const isNotice = ({ event, channel }: PusherMessage, logChannel: string): boolean =>
  channel === logChannel && event === 'log-streams.changed'

/** AG-019 */
async function beat(publisher: StatePublisher, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    publisher.report('client-heartbeat', {})
    await clock.sleep(HEARTBEAT_MILLISECONDS, signal)
  }
}
