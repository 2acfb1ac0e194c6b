export type { SubscriberDeps } from './deps.ts'
export { Subscriber } from './subscriber.ts'
