export type { SubscriberParts } from './parts.ts'
export { Subscriber } from './subscriber.ts'
