import type * as z from 'zod'
import { activityEvents } from './activities/events.ts'
import { databaseEvents } from './databases/events.ts'
import { deploymentEvents } from './deployments/events.ts'
import { instanceEvents } from './instances/events.ts'
import { firewallEvents } from './firewall/events.ts'
import { nodeEvents } from './nodes/events.ts'
import { processEvents } from './processes/events.ts'
import { projectEvents } from './projects/events.ts'
import { scheduleEvents } from './schedules/events.ts'
import { routeEvents } from './routes/events.ts'

/** What the feed publishes: the type of the event, the schema of its data, and when it fires. */
export interface EventSpec {
  readonly data: z.ZodType
  readonly summary: string
  /** The member of the data that is the id of the event; `id` when absent. */
  readonly id?: 'name'
}

/** Every event. A type without a row does not compile. */
export const eventRegistry = {
  ...nodeEvents,
  ...firewallEvents,
  ...activityEvents,
  ...projectEvents,
  ...instanceEvents,
  ...deploymentEvents,
  ...routeEvents,
  ...processEvents,
  ...scheduleEvents,
  ...databaseEvents,
} as const satisfies Record<`${string}.${string}`, EventSpec>

export type EventType = keyof typeof eventRegistry
export type EventData<T extends EventType> = z.output<(typeof eventRegistry)[T]['data']>
/** Events of a record, whose data has its id. The others are published by the gateway itself, not by a request. */
export type RecordEventType = {
  [T in EventType]: EventData<T> extends { readonly id: number | string }
    ? T
    : (typeof eventRegistry)[T] extends { readonly id: 'name' }
      ? T
      : never
}[EventType]

/** The id under which an event of a record is published (EV-003, EV-004). */
export function eventIdOf<T extends RecordEventType>(type: T, data: EventData<T>): number | string {
  const spec: EventSpec = eventRegistry[type]
  const members = data as { readonly id: number | string; readonly name: string } // A type of RecordEventType has the one that its row names.
  return members[spec.id ?? 'id']
}
