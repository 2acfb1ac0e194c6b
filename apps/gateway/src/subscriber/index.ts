export { Subscriber, type SubscriberParts } from './subscriber.ts'
