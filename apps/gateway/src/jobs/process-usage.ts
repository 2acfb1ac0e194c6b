import { type AgentViews, type ProcessUsage, usageEvents } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import type { Feed } from '../feed/feed.ts'

export interface UsageParts {
  readonly views: Pick<AgentViews, 'hasViewers'>
  readonly usage: ProcessUsage
  readonly feed: Feed
  readonly clock: Pick<Clock, 'now'>
}

/** Publishes the usage of Processes while a client watches any Node (EV-033, decisions 18). */
export async function publishProcessUsage({ views, usage, feed, clock }: UsageParts): Promise<void> {
  if (!views.hasViewers()) return
  const at = clock.now()
  await feed.publish(usageEvents(await usage.sample(), at))
}
