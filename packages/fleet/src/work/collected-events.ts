import { type EventData, eventIdOf, type RecordEventType } from '@fleet/contract'
import type { FeedEvent } from '#/work/ports.ts'

/** The events of one request: each record once per type, at the place of its first change and with its last data (EV-014). */
export class CollectedEvents {
  readonly #events = new Map<string, FeedEvent>()

  record<T extends RecordEventType>(type: T, data: EventData<T>): void {
    const id = eventIdOf(type, data)
    this.#events.set(`${type} ${id}`, { type, id, data })
  }

  all(): readonly FeedEvent[] {
    return [...this.#events.values()]
  }
}
