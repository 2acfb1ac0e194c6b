import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeJournal } from '#/activities/journal.ts'
import { type Addressing, makeList } from '#/activities/list.ts'
import { type ActivityLocators, makeActivityLocators } from '#/activities/locators.ts'
import type { ActivityPublisher } from '#/activities/ports.ts'
import type { Journal } from '#/activities/record.ts'
import { makeShow } from '#/activities/show.ts'
import type { HandlersOf } from '#/handler.ts'

export interface ActivitiesDeps {
  readonly store: Store
  readonly clock: Clock
  /** The same after a restart, and different for every gateway of the fleet. */
  readonly gatewayId: string
  readonly nodes: Addressing
  readonly publisher: ActivityPublisher
}

export interface ActivitiesDomain {
  readonly handlers: HandlersOf<'activity:list' | 'activity:show'>
  readonly journal: Journal
  readonly locators: ActivityLocators
}

/** The audited history of requests: what is read of it, and how it is written. */
export const makeActivities = (deps: ActivitiesDeps): ActivitiesDomain => ({
  locators: makeActivityLocators(deps.store),
  handlers: {
    'activity:list': makeList(deps.store, deps.nodes),
    'activity:show': makeShow(deps.store),
  },
  journal: makeJournal(deps),
})
