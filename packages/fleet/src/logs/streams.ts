import { fail, LOG_STREAMS_PER_NODE_MAX, type LogEndReason } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import type { AgentLogMessage } from '#/agents/api.ts'
import type { Mask } from '#/logs/mask.ts'
import { type LogOwner, LogStream, type LogRequest } from '#/logs/stream.ts'

/** LOGS-020 */
const BACKLOG_MAX_BYTES = 1024 * 1024
const BACKLOG_TOTAL_MAX_BYTES = 16 * 1024 * 1024
const FAILED_RUNS_MAX = 5
/** LOGS-014 */
const ID_BYTES = 16

/** Whom a request is about and who asks. */
export interface LogClaim {
  readonly id: string
  readonly owner: LogOwner
  readonly openerId: number
}

export interface LogStreamsDeps {
  readonly clock: Pick<Clock, 'ticks'>
  readonly ids: Pick<Ids, 'hex'>
  /** The list of a Node's agent has changed, or its agent should look at it again. */
  readonly notify: (nodeIds: readonly number[]) => void
  /** There is something to send. */
  readonly wake: () => void
}

/** The live logs of this gateway, in its memory: those that are open, and the last words of those that ended. */
export class LogStreams {
  readonly #deps: LogStreamsDeps
  readonly #open = new Map<string, LogStream>()
  readonly #ending = new Set<LogStream>()

  constructor(deps: LogStreamsDeps) {
    this.#deps = deps
  }

  /** Throws `logs.stream_limit` (LOGS-013). */
  open(wish: LogRequest): LogStream {
    if (this.ofNode(wish.nodeId).length >= LOG_STREAMS_PER_NODE_MAX) throw fail('logs.stream_limit')
    const stream = new LogStream(this.#deps.ids.hex(ID_BYTES), wish, this.#deps.clock.ticks())
    this.#open.set(stream.id, stream)
    this.#deps.notify([wish.nodeId])
    return stream
  }

  /** Undefined for one that is not open, is of another record or was opened by somebody else (LOGS-026, LOGS-027). */
  find({ id, owner, openerId }: LogClaim): LogStream | undefined {
    const stream = this.#open.get(id)
    const isOwn = stream?.wish.owner.type === owner.type && stream.wish.owner.id === owner.id
    return isOwn && stream.wish.openerId === openerId ? stream : undefined
  }

  renew(stream: LogStream, mask: Mask): void {
    stream.renew(this.#deps.clock.ticks())
    stream.mask = mask
    if (!stream.isHeard) this.#deps.notify([stream.wish.nodeId])
  }

  /** Pending lines are still sent, then the reason for the end. */
  end(stream: LogStream, reason: LogEndReason): void {
    if (!this.#open.delete(stream.id)) return
    stream.ended = reason
    stream.failures = 0
    // A client that is closed out waits for nothing more.
    if (reason === 'relay_behind') stream.outbox.clear()
    this.#ending.add(stream)
    this.#deps.notify([stream.wish.nodeId])
    this.#deps.wake()
  }

  endAllOf(nodeId: number, reason: LogEndReason): void {
    for (const stream of this.ofNode(nodeId)) this.end(stream, reason)
  }

  /** What an agent read. Anything about a stream that is not one of its Node's is ignored (LOGS-020). */
  receive(nodeId: number, { event, data }: AgentLogMessage): void {
    const stream = this.#open.get(data.stream)
    if (!stream?.isActive || stream.wish.nodeId !== nodeId) return
    // An agent that cannot get its list and one that cannot read the source are the same to a client.
    if (event === 'client-log-end') return this.end(stream, 'source_unavailable')
    stream.take(data, this.#deps.clock.ticks())
    const isBehind = stream.outbox.bytes > BACKLOG_MAX_BYTES || this.#backlogBytes() > BACKLOG_TOTAL_MAX_BYTES
    if (isBehind) return this.end(stream, 'relay_behind')
    this.#deps.wake()
  }

  /** Open ones, in the order of their opening. */
  ofNode(nodeId: number): readonly LogStream[] {
    return this.all().filter(({ wish }) => wish.nodeId === nodeId)
  }
  all(): readonly LogStream[] {
    return [...this.#open.values()]
  }

  /** Ends those whose lease is over (LOGS-021). */
  expire(): void {
    const now = this.#deps.clock.ticks()
    for (const stream of this.all()) if (stream.leaseUntil <= now) this.end(stream, 'expired')
  }

  /** Notifies agents again of streams that they have not started (LOGS-007, LOGS-021). */
  remind(): void {
    const waiting = this.all().filter(({ isActive, isHeard }) => isActive && !isHeard)
    const nodeIds = new Set(waiting.map(({ wish }) => wish.nodeId))
    if (nodeIds.size > 0) this.#deps.notify([...nodeIds])
  }

  /** Those that have something to send, whether or not its time has come. */
  pending(): readonly LogStream[] {
    return [...this.all(), ...this.#ending].filter(({ isPending }) => isPending)
  }

  /** Its end has been published. */
  settled(stream: LogStream): void {
    this.#ending.delete(stream)
  }

  /** One more relay run failed for it. */
  failed(stream: LogStream): void {
    stream.failures += 1
    if (stream.failures < FAILED_RUNS_MAX) return
    if (stream.ended === undefined) this.end(stream, 'relay_behind')
    else this.#ending.delete(stream)
  }

  #backlogBytes(): number {
    return this.pending().reduce((sum, { outbox }) => sum + outbox.bytes, 0)
  }
}
