import type { EventType } from '@fleet/contract'

/** One change as the feed tells it: the data is the record as its show operation answers it, or the snapshot the catalogue names. */
export interface FeedEvent {
  readonly type: EventType
  readonly id: number | string
  readonly data: unknown
}

/** Where the events of a request go once it has succeeded. */
export interface Feed {
  /** Whether anybody serves the feed; without an active `websocket` role nothing is sent (EV-013). */
  isServed(): Promise<boolean>
  /** In the order of the changes. What it throws is logged as a warning and never fails the request (LIM-003). */
  publish(events: readonly FeedEvent[]): Promise<void>
}

/** Tells nobody. */
export const silentFeed: Feed = {
  isServed: () => Promise.resolve(false),
  publish: () => Promise.resolve(),
}
