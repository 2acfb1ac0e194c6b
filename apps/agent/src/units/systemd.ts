import type { Clock } from '@fleet/kernel'
import type { Board } from './board.ts'
import { openBus, type Signal, type SystemBus } from './bus.ts'
import { listUnitsByCommand } from './systemctl.ts'
import { UNIT_PREFIX } from './unit.ts'

export const SYSTEM_BUS = '/run/dbus/system_bus_socket'
const SYSTEMD = 'org.freedesktop.systemd1'
const UNITS = '/org/freedesktop/systemd1/unit'
const POLL_MILLISECONDS = 10_000
/** Should a signal ever be lost, this ends what it left wrong. */
const READ_AGAIN_MILLISECONDS = 60_000

export interface SystemdDeps {
  readonly clock: Clock
  /** Path of the bus. */
  readonly socket: string
  /** Reads the units without a bus. */
  readonly list?: (signal: AbortSignal) => Promise<readonly { name: string; runtime_status: string }[]>
}

/**
 * Keeps the units of the board from the bus of systemd until the signal aborts. While there is no bus they are read by
 * command every 10 s.
 */
export async function watchSystemd(board: Board, deps: SystemdDeps, signal: AbortSignal): Promise<void> {
  const { clock, list = listUnitsByCommand } = deps
  while (!signal.aborted) {
    const ended = await follow(board, deps, signal).catch(() => 'failed' as const)
    if (signal.aborted) return
    // Another systemd took the bus name over, as after daemon-reexec.
    if (ended === 'restarted') continue
    await list(signal).then(
      (units) => board.replace('systemd', units),
      () => board.settle('systemd'),
    )
    await clock.sleep(POLL_MILLISECONDS, signal)
  }
}

async function follow(
  board: Board,
  { clock, socket }: SystemdDeps,
  signal: AbortSignal,
): Promise<'restarted' | 'closed'> {
  await using bus = await openBus(socket, signal)
  // Signals of any other sender are lies: every user of the machine may send to this connection.
  const owner = await bus.ownerOf(SYSTEMD)
  const restarted = Promise.withResolvers<'restarted'>()
  const readAgain = (): void => void read(bus, board).catch(() => restarted.resolve('restarted'))
  bus.onSignal((news) => {
    if (news.sender === owner) take(board, news, readAgain)
    else if (isOwnerChange(news)) restarted.resolve('restarted')
  })
  for (const rule of RULES) await bus.match(rule)
  await bus.call(SYSTEMD, manager('Subscribe'))
  await read(bus, board)
  const reading = new AbortController()
  void repeat(clock, AbortSignal.any([signal, reading.signal]), readAgain)
  try {
    return await Promise.race([restarted.promise, bus.closed.then(() => 'closed' as const)])
  } finally {
    reading.abort()
  }
}

const RULES = [
  `type='signal',sender='${SYSTEMD}',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',path_namespace='${UNITS}',arg0='${SYSTEMD}.Unit'`,
  `type='signal',sender='${SYSTEMD}',interface='${SYSTEMD}.Manager',member='UnitRemoved'`,
  `type='signal',sender='${SYSTEMD}',interface='${SYSTEMD}.Manager',member='Reloading'`,
  `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${SYSTEMD}'`,
] as const

const manager = (member: string) => ({
  path: '/org/freedesktop/systemd1',
  interface: `${SYSTEMD}.Manager`,
  member,
})

const isOwnerChange = ({ sender, member, body }: Signal): boolean =>
  sender === 'org.freedesktop.DBus' && member === 'NameOwnerChanged' && body[0] === SYSTEMD

function take(board: Board, { member, path, body }: Signal, readAgain: () => void): void {
  // After a reload units may be gone or new without a signal of their own.
  if (member === 'Reloading') return body[0] === false ? readAgain() : undefined
  if (member === 'UnitRemoved') {
    const name = processOf(body[0])
    return name === undefined ? undefined : board.remove('systemd', name)
  }
  const name = path.startsWith(`${UNITS}/`)
    ? processOf(unescapePath(path.slice(UNITS.length + 1)))
    : undefined
  const status = activeState(body[1])
  if (name !== undefined && status !== undefined)
    board.set({ name, runtime: 'systemd', runtime_status: status })
}

async function read(bus: SystemBus, board: Board): Promise<void> {
  const call = {
    ...manager('ListUnitsByPatterns'),
    signature: 'asas',
    body: [[], [`${UNIT_PREFIX}*.service`]],
  }
  const rows = await bus.call(SYSTEMD, call)
  board.replace('systemd', Array.isArray(rows) ? rows.flatMap(unitOf) : [])
}

/** A row begins with name, description, load state, active state. */
function unitOf(row: unknown): readonly { readonly name: string; readonly runtime_status: string }[] {
  const fields: readonly unknown[] = Array.isArray(row) ? row : []
  const [id, , load, status] = fields
  const name = processOf(id)
  // A unit whose file is gone and that does nothing is only remembered because something names it.
  const isGone = load === 'not-found' && status === 'inactive'
  return name !== undefined && typeof status === 'string' && !isGone ? [{ name, runtime_status: status }] : []
}

const processOf = (id: unknown): string | undefined =>
  typeof id === 'string' && id.startsWith(UNIT_PREFIX) && id.endsWith('.service')
    ? id.slice(0, -'.service'.length)
    : undefined

/** systemd writes every byte but letters and digits as `_` and two hexadecimal digits. */
const unescapePath = (escaped: string): string =>
  escaped.replace(/_([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function activeState(changed: unknown): string | undefined {
  if (typeof changed !== 'object' || changed === null || !('ActiveState' in changed)) return undefined
  return typeof changed.ActiveState === 'string' ? changed.ActiveState : undefined
}

async function repeat(clock: Clock, signal: AbortSignal, work: () => void): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(READ_AGAIN_MILLISECONDS, signal)
    if (!signal.aborted) work()
  }
}
