import { type AgentViews, type Executor, type ProcessUsage, usageEvents } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import type { Feed } from '../feed/feed.ts'

export interface UsageDeps {
  readonly views: Pick<AgentViews, 'hasViewers'>
  readonly usage: ProcessUsage
  readonly executor: Executor
  readonly feed: Feed
  readonly clock: Pick<Clock, 'now'>
}

/** Publishes the usage of Processes while a client watches any Node (EV-033, decisions 18). */
export async function publishProcessUsage({ views, usage, executor, feed, clock }: UsageDeps): Promise<void> {
  if (!views.hasViewers()) return
  const at = clock.now()
  const samples = await executor.execute({
    operation: 'process:usage',
    recording: { unrecorded: 'sample' },
    admit: () => undefined,
    run: (call) => usage.sample(call),
  })
  await feed.publish(usageEvents(samples, at))
}
