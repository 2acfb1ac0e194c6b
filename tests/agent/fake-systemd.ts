import { join } from 'node:path'
import { createBroker, createClient } from 'dbus-native'

const SYSTEMD = 'org.freedesktop.systemd1'
const MANAGER = `${SYSTEMD}.Manager`

/** systemd's part of a real message bus that runs in this process. */
export interface FakeSystemd extends AsyncDisposable {
  readonly socket: string
  /** How often somebody subscribed to its signals. */
  readonly subscriptions: number
  /** A unit takes this state; its signal goes out as systemd's own does. */
  set(unit: string, state: string): void
  remove(unit: string): void
  /** A lie about a unit, from a connection that is not systemd. */
  pretend(unit: string, state: string): Promise<void>
}

export async function startFakeSystemd(directory: string): Promise<FakeSystemd> {
  const socket = join(directory, 'bus')
  const broker = createBroker()
  await new Promise<void>((resolve, reject) => {
    broker.listen({ socket }, (error) => (error ? reject(error) : resolve()))
  })
  const bus = createClient({ socket, authMethods: ['EXTERNAL'] })
  await bus.requestName(SYSTEMD, 0)
  const units = new Map<string, string>()
  let subscriptions = 0
  const handle = (member: string, signature: string, work: () => unknown): void =>
    bus.setMethodCallHandler('/org/freedesktop/systemd1', MANAGER, member, [work, signature])
  handle('Subscribe', '', () => {
    subscriptions += 1
  })
  handle('ListUnitsByPatterns', 'a(ssssssouso)', () => [...units].map(([name, state]) => row(name, state)))
  return {
    socket,
    get subscriptions() {
      return subscriptions
    },
    set: (unit, state) => {
      units.set(unit, state)
      reportState(bus, unit, state)
    },
    remove: (unit) => {
      units.delete(unit)
      bus.sendSignal('/org/freedesktop/systemd1', MANAGER, 'UnitRemoved', 'so', [unit, pathOf(unit)])
    },
    pretend: async (unit, state) => {
      const liar = createClient({ socket, authMethods: ['EXTERNAL'] })
      await liar.listNames()
      reportState(liar, unit, state)
      await liar.listNames()
      await liar.close()
    },
    [Symbol.asyncDispose]: async () => {
      bus.connection.stream.destroy()
      broker.close()
    },
  }
}

type Bus = ReturnType<typeof createClient>

function reportState(bus: Bus, unit: string, state: string): void {
  const changed = [
    ['ActiveState', ['s', state]],
    ['SubState', ['s', 'any']],
  ]
  const body = [`${SYSTEMD}.Unit`, changed, []]
  bus.sendSignal(pathOf(unit), 'org.freedesktop.DBus.Properties', 'PropertiesChanged', 'sa{sv}as', body)
}

const row = (name: string, state: string): readonly unknown[] => [
  name,
  'A process',
  'loaded',
  state,
  'any',
  '',
  pathOf(name),
  0,
  '',
  '/',
]

const pathOf = (unit: string): string =>
  `/org/freedesktop/systemd1/unit/${unit.replace(/[^A-Za-z0-9]/g, (one) => `_${one.charCodeAt(0).toString(16).padStart(2, '0')}`)}`
