import type { Duplex } from 'node:stream'
import type { Clock } from '@fleet/kernel'
import type { Command } from '@fleet/shell'
import type { OpenClient } from './connect.ts'
import { Connection } from './connection.ts'
import { execute } from './execute.ts'
import type { OutputOptions } from './remote-run.ts'
import { openForward } from './forward.ts'
import { Slots } from './slots.ts'
import { orAborted } from './time-limit.ts'
import { type CommandResult, type Destination, SshFailure } from './types.ts'

export interface NodeLinkOptions {
  readonly clock: Clock
  readonly maxChannels: number
  /** Of them, channels that long commands leave free. */
  readonly keptForShort: number
  readonly idleMilliseconds: number
  /** Opens a connection or throws SshFailure. */
  readonly connect: () => Promise<OpenClient>
  /** The connection closes, since nobody used it for so long. */
  readonly onIdle: () => void
}

// Channels of forwarded streams are no sessions, so sshd does not count them; this bounds what one Node carries.
const FORWARDS_AT_ONCE = 32

export interface LinkForward {
  /** Covers the waiting, the connecting and the opening. */
  readonly signal: AbortSignal
  readonly lifetimeMilliseconds: number
}

export interface LinkRun extends OutputOptions {
  readonly signal: AbortSignal
  readonly isLong: boolean
}

/** The one shared connection to an address of a Node: opened when needed, shared by all callers, closed when idle. */
export class NodeLink {
  readonly #options: NodeLinkOptions
  readonly #slots: Slots
  readonly #forwards = new Slots({ all: FORWARDS_AT_ONCE })
  #connection: Promise<Connection> | undefined
  /** With those that are retired. */
  readonly #open = new Set<Connection>()
  #users = 0
  #idle = new AbortController()
  #ended = false

  constructor(options: NodeLinkOptions) {
    this.#options = options
    const { maxChannels: all, keptForShort } = options
    this.#slots = new Slots({ all, long: Math.max(1, all - keptForShort) })
  }

  /** Runs a command when a channel is free. The signal covers the waiting, the connecting and the running. */
  async run(command: Command, { signal, isLong, ...output }: LinkRun): Promise<CommandResult> {
    this.#enter()
    try {
      const release = await this.#slots.take(signal, isLong)
      try {
        return await this.#runNow(command, signal, output)
      } finally {
        release()
      }
    } finally {
      this.#leave()
    }
  }

  /** Opens a stream to a destination behind the Node; it counts as a user of the connection until it is closed. */
  async forward(destination: Destination, { signal, lifetimeMilliseconds }: LinkForward): Promise<Duplex> {
    this.#enter()
    const used = new DisposableStack()
    used.defer(() => this.#leave())
    try {
      used.defer(await this.#forwards.take(signal))
      const channel = await this.#overConnection(signal, async (connection) => {
        const opened = await openForward(connection, destination, signal)
        used.defer(connection.enter())
        return opened
      })
      const stop = new AbortController()
      void this.#options.clock.sleep(lifetimeMilliseconds, stop.signal).then(() => channel.destroy())
      channel.once('close', () => {
        stop.abort()
        used.dispose()
      })
      return channel
    } catch (error) {
      used.dispose()
      throw error
    }
  }

  /** Ends the connection for good; what runs over it is lost. */
  async end(): Promise<void> {
    this.#ended = true
    this.#idle.abort()
    await this.#close()
  }

  #runNow(command: Command, signal: AbortSignal, output: OutputOptions): Promise<CommandResult> {
    const options = { signal, ...output, clock: this.#options.clock }
    return this.#overConnection(signal, (connection) => execute(connection, command, options))
  }

  async #overConnection<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const shared = this.#connection
    const once = async (connection: Connection): Promise<T> => {
      using used = new DisposableStack()
      used.defer(connection.enter())
      return await work(connection)
    }
    try {
      return await once(await this.#connected(signal))
    } catch (error) {
      // A connection that was already open may have died unseen; nothing was sent, so a fresh one may try once.
      const stale =
        shared !== undefined && error instanceof SshFailure && error.kind === 'connection_lost' && !error.sent
      if (!stale) throw error
    }
    return once(await this.#connected(signal))
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    if (this.#ended) throw new SshFailure('connection_lost', false)
    this.#connection ??= this.#connect()
    return orAborted(this.#connection, signal)
  }

  #connect(): Promise<Connection> {
    const forget = (): void => {
      if (this.#connection === connection) this.#connection = undefined
    }
    const { clock, connect } = this.#options
    const connection = connect().then((client) => {
      const closed = (): void => void this.#open.delete(opened)
      const opened = new Connection(client, { clock, unusable: forget, closed })
      this.#open.add(opened)
      return opened
    })
    connection.catch(forget)
    return connection
  }

  async #close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    await connection?.catch(() => undefined)
    await Promise.all([...this.#open].map((open) => open.close()))
  }

  #enter(): void {
    this.#users += 1
    this.#idle.abort()
  }

  #leave(): void {
    this.#users -= 1
    if (this.#users > 0 || this.#ended) return
    const idle = new AbortController()
    this.#idle = idle
    void this.#options.clock.sleep(this.#options.idleMilliseconds, idle.signal).then(() => {
      if (idle.signal.aborted) return undefined
      this.#options.onIdle()
      return this.#close()
    })
  }
}
