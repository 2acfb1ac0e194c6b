import {
  QUEUE_EXCEPTION_MAX,
  QUEUE_NAME_MAX,
  queueStatuses,
  QUEUES_MAX,
  type QueueState,
} from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import * as z from 'zod'
import type { NodeScript } from '#/nodes/api.ts'

/** Which application is asked for what. */
export interface QueueQuestion {
  readonly directory: string
  readonly php: readonly string[]
  readonly state: QueueState
  readonly limit: number
  readonly seconds?: number
}

const count = z.int().min(0)
const name = z.string().nullable()
const seconds = z.number().nullable()

const dashboard = z.strictObject({
  status: z.enum(queueStatuses),
  jobs_per_minute: z.number().min(0),
  recent_jobs: count,
  recently_failed_jobs: count,
  processes: count,
  totals: z.strictObject({ pending: count, completed: count, failed: count }),
  queues: z.array(
    z.strictObject({ name: z.string(), length: count, wait_seconds: z.number().min(0), processes: count }),
  ),
  jobs: z.array(
    z.strictObject({
      id: z.string(),
      name,
      queue: name,
      status: name,
      pushed_at: seconds,
      completed_at: seconds,
      failed_at: seconds,
      exception: name,
    }),
  ),
  domain: name,
  path: name,
})
/** What the dashboard knows, with times in seconds since 1970. */
export type DashboardAnswer = z.output<typeof dashboard>

const REFUSALS = ['application', 'start', 'dashboard', 'store'] as const
const refusal = z.strictObject({ refused: z.enum(REFUSALS) })

const SECONDS = 20
const READER = new Secret(textFile('read-queue.php', import.meta.url))
const unanswered = (message: string) => ['instance.queue_unanswered', message] as const

/** What a refusal of the script means, and what helps. */
const REASONS = {
  directory: unanswered(
    'The folder in which the Process of the queue dashboard works is missing on the Node.',
  ),
  program: unanswered(
    'The program with which the Process of the queue dashboard begins is missing on the Node.',
  ),
  timeout: unanswered('The application did not answer for its queue dashboard in 20 seconds.'),
} as const

/** The same for what the reader answers. */
const REFUSED: Readonly<Record<(typeof REFUSALS)[number], string>> = {
  application:
    'The folder of the queue dashboard has no vendor/autoload.php or no bootstrap/app.php: install its dependencies (`composer install`).',
  start:
    'The application failed as it started, so its queue dashboard has no answer: `fleet instance:logs` shows why.',
  dashboard: 'The application has no queue dashboard that is known: Laravel Horizon 5 is needed.',
  store:
    'The queue dashboard failed as it read its queues. Does the Redis server of the application answer? `fleet instance:logs` shows more.',
}

/** Answers what the dashboard knows, or why it has no answer. As whoever runs the dashboard (INS-126, INS-127). */
export const readQueue: NodeScript<QueueQuestion, DashboardAnswer | (typeof REFUSALS)[number]> = {
  source: programOf(textFile('read-queue.sh', import.meta.url), START),
  as: 'login',
  args: ({ directory, php, state, limit, seconds: most = SECONDS }) => [
    directory,
    most,
    state,
    limit,
    QUEUE_NAME_MAX,
    QUEUE_EXCEPTION_MAX,
    QUEUES_MAX,
    ...php,
  ],
  stdin: () => READER,
  timeoutSeconds: SECONDS + 10,
  // 50 jobs and 100 queues, with every character of theirs escaped.
  maxOutputBytes: 2 * 1024 * 1024,
  reasons: REASONS,
  broken: 'instance.queue_unanswered',
  read: (answer) => {
    const told = parsed(answer.text('answer'))
    const refused = refusal.safeParse(told)
    if (refused.success) return refused.data.refused
    const known = dashboard.safeParse(told)
    if (!known.success) throw new MalformedOutput('not what the dashboard answers')
    return known.data
  },
}

/** The text of a refusal of the reader. */
export const refusalText = (reason: (typeof REFUSALS)[number]): string => REFUSED[reason]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MalformedOutput('not JSON')
  }
}
