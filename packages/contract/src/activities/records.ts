import * as z from 'zod'
import { id, nullableId, time } from '../params.ts'

export const activityStatuses = ['running', 'succeeded', 'failed'] as const
export type ActivityStatus = (typeof activityStatuses)[number]

/** One audited request (ACT-001). `properties` is bounded, redacted metadata; the body is never stored. */
export const activity = z.strictObject({
  id,
  request_id: z.guid(),
  command: z.string(),
  caller_node_id: nullableId,
  target_node_id: nullableId,
  caller_ip: z.string().nullable(),
  status: z.enum(activityStatuses),
  duration_ms: z.int().min(0).nullable(),
  exit_code: z.int().nullable(),
  error_code: z.string().nullable(),
  subject_type: z.string().nullable(),
  subject_id: z.string().nullable(),
  properties: z.record(z.string(), z.unknown()),
  occurred_at: time,
})
export type ActivityData = z.output<typeof activity>
