import * as z from 'zod'
import type { Operation } from './operation.ts'
import { time } from './params.ts'

export const stepStatuses = ['started', 'done', 'failed', 'skipped'] as const

/** One step of a long operation as a watching client sees it; `milliseconds` is set if the step had started before. */
export const watchedStep = z.strictObject({
  type: z.literal('step'),
  step: z.string(),
  status: z.enum(stepStatuses),
  at: time,
  milliseconds: z.int().min(0).optional(),
})
export type WatchedStep = z.output<typeof watchedStep>

/** Media type that a client names in `Accept` to watch. */
export const watchMediaType = 'application/x-ndjson'

/** Whether its steps can be watched while it works. */
export const isWatchable = ({ watchable }: Operation): boolean => watchable === true
