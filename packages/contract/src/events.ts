import type * as z from 'zod'
import { activityEvents } from './activities/events.ts'
import { databaseEvents } from './databases/events.ts'
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
}

/** Every event. A type without a row does not compile. */
export const eventRegistry = {
  ...nodeEvents,
  ...firewallEvents,
  ...activityEvents,
  ...projectEvents,
  ...instanceEvents,
  ...routeEvents,
  ...processEvents,
  ...scheduleEvents,
  ...databaseEvents,
} as const satisfies Record<`${string}.${string}`, EventSpec>

export type EventType = keyof typeof eventRegistry
export type EventData<T extends EventType> = z.output<(typeof eventRegistry)[T]['data']>
/** Events of a record, whose data has its id. The others are published by the gateway itself, not by a request. */
export type RecordEventType = {
  [T in EventType]: EventData<T> extends { readonly id: number | string } ? T : never
}[EventType]
