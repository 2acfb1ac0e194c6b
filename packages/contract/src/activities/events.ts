import type * as z from 'zod'
import { activity } from './records.ts'

/** A notice: identifiers, outcome and times, never the properties of a row (EV-066). */
const activityNotice = activity.pick({
  id: true,
  request_id: true,
  command: true,
  status: true,
  caller_node_id: true,
  target_node_id: true,
  error_code: true,
  duration_ms: true,
  occurred_at: true,
})
export type ActivityNotice = z.output<typeof activityNotice>

export const activityEvents = {
  'activity.created': { data: activityNotice, summary: 'An Activity was stored.' },
  'activity.updated': { data: activityNotice, summary: 'A running Activity recorded its outcome.' },
} as const
