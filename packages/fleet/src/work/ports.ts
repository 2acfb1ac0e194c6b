import type { EventType } from '@fleet/contract'
import type { Details } from '@fleet/kernel'

/** One change as the feed publishes it: the data is the record as its show operation answers it, or the snapshot the catalogue names. */
export interface FeedEvent {
  readonly type: EventType
  readonly id: number | string
  readonly data: unknown
}

/** Where the events of work go once it has succeeded; the gateway's feed. */
export interface EventPublisher {
  /** In the order of the changes. What it throws is logged as a warning and never fails the work (LIM-003). */
  publish(events: readonly FeedEvent[]): Promise<void>
}

/** A structured log; the gateway's. */
export interface WorkLog {
  info(facts: Details, message: string): void
  warn(facts: Details, message: string): void
  error(facts: Details, message: string): void
}
