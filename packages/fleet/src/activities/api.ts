export { type ActivitiesDomain, type ActivitiesDeps, makeActivities } from '#/activities/make.ts'
export type { ActivityEntry, Also, Journal, OpenActivity } from '#/activities/record.ts'
export { makeActivityLocators } from '#/activities/locators.ts'
export type { ActivityPublisher } from '#/activities/ports.ts'

export { forgetNode } from '#/activities/queries.ts'
