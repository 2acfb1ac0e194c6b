import type { Clock } from '@fleet/kernel'
import { backoff, type Connection, type PusherMessage } from '@fleet/pusher-client'
import { ApiError } from '@fleet/sdk/core'
import { isObject, type Json, objectsIn } from '#/print/value.ts'
import { AgentView } from './agent-view.ts'
import { publishedOn } from './envelope.ts'
import { type GatewayLink, reasonOf } from './gateway-link.ts'
import { ListedRecords } from './listed-records.ts'
import { whileConnected } from './while-connected.ts'

const FEED_CHANNEL = 'private-fleet'
/** Joined at the same time; each asks the gateway for a signature. */
const AT_ONCE = 8

/** A Node as the gateway lists it, with what its agent reports. */
export interface SeenNode {
  readonly record: Json
  readonly view: AgentView
}

export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** `since` and `retryAt` are ticks. */
  | {
      readonly kind: 'lost'
      readonly reason: string
      readonly since: number
      readonly retryAt: number
    }

/** What a viewer of all Nodes sees at this moment. */
export interface Seen {
  readonly link: LinkState
  /** By name. */
  readonly nodes: readonly SeenNode[]
  /** Instances whose creation, setup or removal is not at its end, by id. */
  readonly unfinished: readonly Json[]
  /** Every Instance, by id. */
  readonly instances: ReadonlyMap<number, Json>
  /** By id, with what was last read of them; empty until the gateway has asked their Nodes. */
  readonly processes: readonly Json[]
  /** CPU and memory of Processes, by id, from the last `process.usage`. */
  readonly usage: ReadonlyMap<number, readonly [cpu: number | null, memoryBytes: number | null]>
}

export interface WatchDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly chance: (count: number) => Uint8Array
  readonly changed: () => void
}

/**
 * Joins the channel of every Node as a viewer and keeps what its agent reports, over as many connections as necessary.
 */
export class NodeWatch {
  readonly #link: GatewayLink
  readonly #deps: WatchDeps
  #state: LinkState = { kind: 'connecting' }
  readonly #nodes = new ListedRecords()
  readonly #instances = new ListedRecords()
  readonly #processes = new ListedRecords()
  /** What is known of the agents of the Nodes of `#connection`, by the Node's id. */
  #views = new Map<number, AgentView>()
  /** The one of which the Nodes are listed; one that comes later is entered when it is published. */
  #connection: Connection | undefined
  readonly #usage = new Map<number, readonly [number | null, number | null]>()

  constructor(link: GatewayLink, deps: WatchDeps) {
    this.#link = link
    this.#deps = deps
  }

  seen(): Seen {
    const nodes = this.#nodes.all.flatMap((record): readonly SeenNode[] => {
      const view = this.#views.get(Number(record['id']))
      return view ? [{ record, view }] : []
    })
    return {
      link: this.#state,
      nodes: nodes.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
      unfinished: this.#instances.all.filter(isUnfinished),
      instances: this.#instances.byId,
      processes: this.#processes.isSettled ? this.#processes.all : [],
      usage: this.#usage,
    }
  }

  /** Whether something that was asked for on joining has not arrived yet. */
  get isAwaited(): boolean {
    return !this.#processes.isSettled || [...this.#views.values()].some((view) => view.isAwaited)
  }

  /** One connection with every Node's channel joined. Rejects with what keeps it away. */
  async join(): Promise<Connection> {
    const connection = await this.#link.open(this.#deps.signal)
    try {
      connection.onMessage((message) => {
        this.#hear(connection, message)
        this.#deps.changed()
      })
      // Before the list, so that no Node comes or goes unseen in between.
      await this.#link.join(connection, FEED_CHANNEL)
      await whileConnected(connection, (ended) => this.#list(connection, ended))
      this.#change({ kind: 'connected' })
      return connection
    } catch (error) {
      connection[Symbol.dispose]()
      throw error
    }
  }

  /** Uses this connection, and reconnects after it, until the signal aborts. */
  async keep(first: Connection): Promise<void> {
    const { signal, clock, chance } = this.#deps
    let connection: Connection | undefined = first
    for (let failures = 0; !signal.aborted; failures += 1) {
      let reason = 'the connection broke'
      try {
        using current = connection ?? (await this.join())
        connection = undefined
        failures = 0
        const closed = await current.closed
        reason = closed.reason || reason
      } catch (error) {
        reason = reasonOf(error)
      }
      const pause = backoff(failures, { bytes: chance })
      const since = this.#state.kind === 'lost' ? this.#state.since : clock.ticks()
      this.#change({ kind: 'lost', reason, since, retryAt: clock.ticks() + pause })
      await clock.sleep(pause, signal)
    }
  }

  #change(state: LinkState): void {
    this.#state = state
    this.#deps.changed()
  }

  async #list(connection: Connection, ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#deps.signal, ended])
    await Promise.all([
      this.#nodes.list(() => this.#ask('node:list', signal)),
      this.#instances.list(() => this.#ask('instance:list', signal)),
    ])
    if (ended.aborted) return
    // The gateway asks Nodes for it, and one that is silent takes its time. A list that fails leaves what was known.
    void this.#processes
      .list(() => this.#ask('process:list', signal))
      .catch(() => undefined)
      .then(() => this.#deps.changed())
    // What was known came over another connection, which may have missed anything.
    this.#views = new Map([...this.#nodes.byId.keys()].map((id) => [id, new AgentView(id)]))
    this.#connection = connection
    const waiting = [...this.#views].values()
    const work = async (): Promise<void> => {
      for (const [id, view] of waiting) await this.#enter(connection, id, view)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  async #ask(operation: string, signal: AbortSignal): Promise<readonly Json[]> {
    return objectsIn(await this.#link.ask(operation, {}, { signal }))
  }

  /** A Node that the gateway refuses, as one that was removed since, shows as one whose agent nothing is known of. */
  async #enter(connection: Connection, id: number, view: AgentView): Promise<void> {
    if (!this.#nodes.byId.has(id)) return
    try {
      const members = await this.#link.join(connection, channelOf(id))
      for (const [userId, userInfo] of members) view.joined(userId, userInfo)
    } catch (error) {
      if (!(error instanceof ApiError && error.status < 500)) throw error
    }
  }

  #hear(connection: Connection, message: PusherMessage): void {
    const { channel = '', event, data, userId } = message
    if (channel === FEED_CHANNEL) return this.#hearFeed(connection, publishedOn(FEED_CHANNEL, message))
    const view = this.#views.get(Number(/^presence-node\.(\d+)$/.exec(channel)?.[1]))
    if (!view) return
    const member = isObject(data) ? data : {}
    if (event === 'pusher:member_added') view.joined(String(member['user_id']), member['user_info'])
    else if (event === 'pusher:member_removed') view.left(String(member['user_id']))
    else view.hear(event, data, userId, this.#deps.clock.ticks())
  }

  #hearFeed(connection: Connection, envelope: Json | undefined): void {
    if (!envelope) return
    const { type, id, data } = envelope
    const event = String(type)
    if (event === 'process.usage') return this.#takeUsage(data)
    if (typeof id !== 'number') return
    const record = event.endsWith('.deleted') ? undefined : data
    if (event.startsWith('instance.')) return this.#instances.take(id, record)
    if (event.startsWith('process.')) return this.#processes.take(id, record)
    if (event === 'node.deleted' || (event.startsWith('node.') && isObject(data)))
      this.#takeNode(connection, id, record)
  }

  #takeNode(connection: Connection, id: number, record: unknown): void {
    this.#nodes.take(id, record)
    if (record === undefined) {
      this.#views.delete(id)
      connection.unsubscribe(channelOf(id))
      return
    }
    if (this.#views.has(id) || this.#connection !== connection) return
    const view = new AgentView(id)
    this.#views.set(id, view)
    // What keeps it away shows as an agent of which nothing is known.
    this.#enter(connection, id, view).catch(() => this.#deps.changed())
  }

  #takeUsage(data: unknown): void {
    const processes = isObject(data) && Array.isArray(data['processes']) ? data['processes'] : []
    for (const sample of processes) {
      if (!Array.isArray(sample)) continue
      const [id, cpu, memory] = sample.map((value: unknown) => (typeof value === 'number' ? value : null))
      if (typeof id === 'number') this.#usage.set(id, [cpu ?? null, memory ?? null])
    }
  }
}

/** A setup that waits or failed is named in `failed_step` of an active Instance. */
const isUnfinished = ({ status, failed_step }: Json): boolean =>
  status !== 'active' || typeof failed_step === 'string'

const channelOf = (id: number): string => `presence-node.${id}`
const nameOf = ({ record }: SeenNode): string => String(record['name'])
