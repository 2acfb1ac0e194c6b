import { LOG_LEASE_SECONDS, type LogEndReason } from '@fleet/contract'
import type { AgentMessageData } from '#/agents/api.ts'
import type { Mask } from '#/logs/mask.ts'
import { LogOutbox } from '#/logs/outbox.ts'
import type { LogSource, LogStreamMessage } from '#/logs/ports.ts'
import { Rate } from '#/logs/rate.ts'

/** LOGS-015 */
const FIRST_MAX_BYTES = 256 * 1024
/** LOGS-018 */
const RATE = { bytesPerSecond: 64 * 1024, burstBytes: 256 * 1024 } as const

/** The record whose log it is. */
export interface LogOwner {
  readonly type: 'instance' | 'process'
  readonly id: number
}

/** What a stream is opened for. */
export interface LogRequest {
  readonly owner: LogOwner
  /** Node that serves it. */
  readonly nodeId: number
  /** Node of the caller, the only one that may renew or close it (LOGS-027). */
  readonly openerId: number
  /** First lines. */
  readonly lines: number
  readonly source: LogSource
  readonly mask: Mask
}

/**
 * One live log: its lease, what its agent has sent, and what its client has not received yet. Times are monotonic
 * milliseconds.
 */
export class LogStream {
  readonly id: string
  readonly wish: LogRequest
  /** Renewed at least once, so the agent is to read it (LOGS-005, LOGS-006). */
  isActive = false
  /** The agent has begun (LOGS-007). */
  isHeard = false
  leaseUntil: number
  mask: Mask
  readonly outbox = new LogOutbox()
  /** Set once it has ended; published after the last line. */
  ended: LogEndReason | undefined
  /** Nothing is sent before. */
  nextAt = Number.NEGATIVE_INFINITY
  /** Failed relay runs in a row. */
  failures = 0
  readonly #rate: Rate
  #firstLines: number
  #firstBytes = FIRST_MAX_BYTES
  #lastSequence = 0

  constructor(id: string, wish: LogRequest, now: number) {
    this.id = id
    this.wish = wish
    this.mask = wish.mask
    this.leaseUntil = now + LOG_LEASE_SECONDS * 1000
    this.#firstLines = wish.lines
    this.#rate = new Rate(RATE, now)
  }

  renew(now: number): void {
    this.isActive = true
    this.leaseUntil = now + LOG_LEASE_SECONDS * 1000
  }

  /** Accepts lines from the agent. Gaps are reported as missing lines, and so is the change to another reader. */
  take({ sequence, lines, dropped, skipped }: AgentMessageData<'client-log'>, now: number): void {
    this.isHeard = true
    // The server never repeats, so the agent reads anew after a break of its connection: nobody knows what was lost then.
    const isAnew = sequence <= this.#lastSequence
    // How many lines a lost message had nobody knows either: at least one.
    this.outbox.addDropped((isAnew ? sequence : sequence - this.#lastSequence - 1) + dropped)
    this.#lastSequence = sequence
    this.outbox.addSkipped(skipped)
    for (const line of this.mask(lines)) this.#add(line, now)
  }

  #add(line: string, now: number): void {
    const bytes = Buffer.byteLength(line) + 1
    const isFirst = this.#firstLines > 0 && bytes <= this.#firstBytes
    if (isFirst) {
      this.#firstLines -= 1
      this.#firstBytes -= bytes
    } else {
      // What comes after the first line that is none of the first ones is not either.
      this.#firstLines = 0
      if (!this.#rate.take(bytes, now)) return this.outbox.addDropped(1)
    }
    this.outbox.addLine(line)
  }

  get isPending(): boolean {
    return !this.outbox.isEmpty || this.ended !== undefined
  }

  /** Everything that its client should have got by now. */
  seal(): readonly LogStreamMessage[] {
    const lines = this.outbox.seal().map((data) => ({ stream: this.id, type: 'log.lines' as const, data }))
    const reason = this.ended
    return reason === undefined ? lines : [...lines, { stream: this.id, type: 'log.ended', data: { reason } }]
  }
}
