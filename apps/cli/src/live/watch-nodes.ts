import type { Clock } from '@fleet/kernel'
import { backoff, type Connection, type PusherMessage } from '@fleet/pusher-client'
import { isObject, type Json } from '#/print/value.ts'
import { AgentView } from './agent-view.ts'
import { publishedOn } from './envelope.ts'
import { type GatewayLink, reasonOf } from './gateway-link.ts'

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
  #nodes = new Map<number, SeenNode>()
  #instances = new Map<number, Json>()
  #processes: Map<number, Json> | undefined
  /** What was published while Processes are listed, which the list may not have yet. */
  #meanwhile = new Map<number, unknown>()
  readonly #usage = new Map<number, readonly [number | null, number | null]>()

  constructor(link: GatewayLink, deps: WatchDeps) {
    this.#link = link
    this.#deps = deps
  }

  seen(): Seen {
    const nodes = [...this.#nodes.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    return {
      link: this.#state,
      nodes,
      unfinished: byId(this.#instances).filter(isUnfinished),
      instances: this.#instances,
      processes: byId(this.#processes ?? new Map()),
      usage: this.#usage,
    }
  }

  /** Whether something that was asked for on joining has not arrived yet. */
  get isAwaited(): boolean {
    return this.#processes === undefined || [...this.#nodes.values()].some(({ view }) => view.isAwaited)
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
      await this.#list(connection)
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

  async #list(connection: Connection): Promise<void> {
    const [records, instances] = await Promise.all(
      ['node:list', 'instance:list'].map((operation) => this.#ask(operation)),
    )
    this.#instances = mapOf(instances ?? [])
    // The gateway asks Nodes for it, and one that is silent takes its time.
    void this.#listProcesses()
    // What was known came over another connection, which may have missed anything.
    this.#nodes = new Map()
    const waiting = (records ?? []).values()
    const work = async (): Promise<void> => {
      for (const record of waiting) await this.#enter(connection, record)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  async #ask(operation: string): Promise<readonly Json[]> {
    const listed = await this.#link.ask(operation)
    return Array.isArray(listed) ? listed.filter(isObject) : []
  }

  /** A list that fails leaves what was known: what happens to a Process is published as well. */
  async #listProcesses(): Promise<void> {
    const meanwhile = (this.#meanwhile = new Map<number, unknown>())
    const listed = await this.#ask('process:list').catch(() => undefined)
    const processes = listed ? mapOf(listed) : (this.#processes ?? new Map<number, Json>())
    for (const [id, record] of meanwhile) take(processes, id, record)
    this.#processes = processes
    this.#deps.changed()
  }

  async #enter(connection: Connection, record: Json): Promise<void> {
    const id = Number(record['id'])
    const view = new AgentView(id)
    this.#nodes.set(id, { record, view })
    const members = await this.#link.join(connection, channelOf(id))
    for (const [userId, userInfo] of members) view.joined(userId, userInfo)
  }

  #hear(connection: Connection, message: PusherMessage): void {
    const { channel = '', event, data, userId } = message
    if (channel === FEED_CHANNEL) return this.#hearFeed(connection, publishedOn(FEED_CHANNEL, message))
    const view = this.#nodes.get(Number(/^presence-node\.(\d+)$/.exec(channel)?.[1]))?.view
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
    const record = event.endsWith('.deleted') ? undefined : data
    if (event.startsWith('instance.') && typeof id === 'number') return take(this.#instances, id, record)
    if (event.startsWith('process.') && typeof id === 'number') return this.#takeProcess(id, record)
    if (!event.startsWith('node.') || typeof id !== 'number' || !isObject(data)) return
    if (event === 'node.deleted') {
      this.#nodes.delete(id)
      connection.unsubscribe(channelOf(id))
      return
    }
    const known = this.#nodes.get(id)
    if (known) this.#nodes.set(id, { ...known, record: data })
    // What keeps it away shows as an agent of which nothing is known.
    else this.#enter(connection, data).catch(() => this.#deps.changed())
  }

  #takeProcess(id: number, record: unknown): void {
    this.#meanwhile.set(id, record)
    if (this.#processes) take(this.#processes, id, record)
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

const mapOf = (records: readonly Json[]): Map<number, Json> =>
  new Map(records.map((record) => [Number(record['id']), record]))

const byId = (records: ReadonlyMap<number, Json>): readonly Json[] =>
  [...records.values()].toSorted((a, b) => Number(a['id']) - Number(b['id']))

function take(records: Map<number, Json>, id: number, record: unknown): void {
  if (isObject(record)) records.set(id, record)
  else records.delete(id)
}

/** A setup that waits or failed is named in `failed_step` of an active Instance. */
const isUnfinished = ({ status, failed_step }: Json): boolean =>
  status !== 'active' || typeof failed_step === 'string'

const channelOf = (id: number): string => `presence-node.${id}`
const nameOf = ({ record }: SeenNode): string => String(record['name'])
