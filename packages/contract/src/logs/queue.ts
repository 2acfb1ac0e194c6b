import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id, instanceId, time } from '../params.ts'

export const queueStates = ['pending', 'completed', 'failed'] as const
export type QueueState = (typeof queueStates)[number]

export const queueStatuses = ['running', 'paused', 'inactive'] as const

/** Bytes that are shown of a name and of an exception; what is cut ends with `[truncated]`. */
export const QUEUE_NAME_MAX = 255
export const QUEUE_EXCEPTION_MAX = 4096
/** Queues that are shown. */
export const QUEUES_MAX = 100

const count = z.int().min(0)
const state = z.enum(queueStates)

/** A job as the dashboard lists it: never what it was given to work on (INS-127). */
export const queueJob = z.strictObject({
  id: z.string(),
  /** Class of the job, as a rule. */
  name: z.string(),
  queue: z.string(),
  /** In the dashboard's own words, such as `pending`, `reserved`, `completed` or `failed`. */
  status: z.string(),
  pushed_at: time.nullable(),
  completed_at: time.nullable(),
  failed_at: time.nullable(),
  /** What it failed with, stored environment values masked and cut to 4,096 bytes; null for a job that did not fail. */
  exception: z.string().nullable(),
  /** Its page of the dashboard; null for an Instance without a domain. */
  url: z.url().nullable(),
})
export type QueueJobData = z.output<typeof queueJob>

const queue = z.discriminatedUnion('available', [
  z.strictObject({ available: z.literal(false), state }),
  z.strictObject({
    available: z.literal(true),
    state,
    process_id: id,
    /** `inactive`: the dashboard has no supervisor that lives. */
    status: z.enum(queueStatuses),
    jobs_per_minute: z.number().min(0),
    recent_jobs: count,
    recently_failed_jobs: count,
    processes: count,
    totals: z.strictObject({ pending: count, completed: count, failed: count }),
    queues: z.array(
      z.strictObject({ name: z.string(), length: count, wait_seconds: z.number().min(0), processes: count }),
    ),
    dashboard_url: z.url().nullable(),
    /** Newest first, as the dashboard lists them. */
    jobs: z.array(queueJob),
  }),
])

export const instanceQueue = operation({
  name: 'instance:queue',
  group: 'Logs',
  method: 'GET',
  path: '/instances/{instance}/queue',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    state: state.default('pending').describe('Which jobs are listed.'),
    limit: z.int().min(1).max(50).default(20).describe('Number of jobs.'),
  }),
  output: queue,
  errors: ['node.not_active', 'instance.queue_unanswered', ...commandErrors],
  unknown: { instance: 'instance.not_found' },
  summary: 'Show the queues of an Instance and their jobs, as its queue dashboard knows them',
  description:
    'An Instance has a queue dashboard when one of its systemd Processes runs `artisan horizon`; `available` is false for any other. The application is asked on the Node, as the account of that Process; what jobs were given to work on never leaves the Node.',
})
