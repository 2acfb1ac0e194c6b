import type { EventPublisher } from '@fleet/fleet'

/** Where events go: the fleet's WebSocket servers. */
export interface Feed extends EventPublisher {
  /** Whether anybody serves the feed; without an active `websocket` role nothing is sent (EV-013). */
  isServed(): Promise<boolean>
}
