import type { Assembled } from '../assemble.ts'
import { makeAccessSweep } from '../feed/access-sweep.ts'
import { Subscriber } from '../subscriber/index.ts'
import { every, type JobDeps } from './every.ts'
import { publishProcessUsage } from './process-usage.ts'

const ACCESS_SWEEP_SECONDS = 5
const USAGE_SECONDS = 15
const LOG_SWEEP_SECONDS = 5
const LOG_REMINDER_SECONDS = 15

/** What follows the fleet as long as the gateway runs: agents, usage and live logs. */
export function startLive(
  { services, executor, root, clock, ids, log, feed, poster }: Assembled,
  job: JobDeps,
): void {
  const { views, logs, usage, realtime, managedNodes } = services
  const subscriber = new Subscriber({
    servers: () => realtime.servers(),
    managedNodes,
    rootCertificate: root.certificate,
    views,
    logs,
    clock,
    ids,
    log,
  })
  void subscriber.run(job.signal)
  void logs.relay(job.signal)
  void every(
    USAGE_SECONDS,
    'process usage',
    () => publishProcessUsage({ views, usage, executor, feed, clock }),
    job,
  )
  const endBarred = makeAccessSweep({ realtime, poster, clock, log })
  void every(ACCESS_SWEEP_SECONDS, 'access to the feed', endBarred, job)
  void every(LOG_SWEEP_SECONDS, 'live logs', () => logs.sweep(), job)
  void every(LOG_REMINDER_SECONDS, 'reminders of live logs', async () => logs.remind(), job)
}
