import { createClient, type MessageBus } from 'dbus-native'

const CALL_MILLISECONDS = 10_000

export interface Signal {
  /** Unique name of the connection, as the bus attests it. */
  readonly sender: string
  readonly path: string
  readonly member: string
  readonly body: readonly unknown[]
}

export interface BusCall {
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly signature?: string
  readonly body?: unknown[]
}

/** The system's message bus, of which the agent needs three things. */
export interface SystemBus extends AsyncDisposable {
  /** First value of the answer, variants and dictionaries as plain values. Rejects on an error and after 10 s. */
  call(destination: string, call: BusCall): Promise<unknown>
  ownerOf(name: string): Promise<string>
  match(rule: string): Promise<void>
  onSignal(listener: (signal: Signal) => void): void
  /** Resolves when the connection ended, for whatever reason. */
  readonly closed: Promise<void>
}

/** Rejects where nothing listens, and where what listens does not answer in time; ends with the signal. */
export async function openBus(
  socket: string,
  signal: AbortSignal,
  callMilliseconds = CALL_MILLISECONDS,
): Promise<SystemBus> {
  const bus = createClient({
    socket,
    plainValues: true,
    timeout: callMilliseconds,
    authMethods: ['EXTERNAL'],
    // A greeting by the library itself ends the process where it is refused or not answered.
    direct: true,
  })
  const { connection } = bus
  const closed = new Promise<void>((resolve) => {
    // The stream is ended on every error, and pending calls fail with it.
    connection.on('error', () => (resolve(), end(bus)))
    connection.on('close', () => resolve())
    connection.on('end', () => resolve())
  })
  const abort = (): void => end(bus)
  signal.addEventListener('abort', abort, { once: true })
  void closed.then(() => signal.removeEventListener('abort', abort))
  const opened: SystemBus = {
    call: async (destination, call) => {
      const answer: unknown = await bus.invoke({ destination, ...call })
      return answer
    },
    ownerOf: (name) => Promise.resolve(bus.getNameOwner(name)),
    match: async (rule) => {
      await bus.addMatch(rule)
    },
    onSignal: (listener) => {
      connection.on('message', (message: Readonly<Record<string, unknown>>) => {
        const { type, sender, path, member, body } = message
        if (type !== SIGNAL || typeof sender !== 'string' || typeof member !== 'string') return
        listener({
          sender,
          member,
          path: typeof path === 'string' ? path : '',
          body: Array.isArray(body) ? body : [],
        })
      })
    },
    closed,
    [Symbol.asyncDispose]: async () => end(bus),
  }
  try {
    await Promise.race([opened.call(BUS, HELLO), closed.then(() => Promise.reject(new Error('no bus')))])
    return opened
  } catch (error) {
    end(bus)
    throw error
  }
}

const BUS = 'org.freedesktop.DBus'
/** Nothing else is answered before it. */
const HELLO: BusCall = { path: '/org/freedesktop/DBus', interface: BUS, member: 'Hello' }
const SIGNAL = 4

function end(bus: MessageBus): void {
  bus.connection.stream.destroy()
}
