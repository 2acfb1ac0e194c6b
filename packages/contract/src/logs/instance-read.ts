import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id, instanceId } from '../params.ts'

/** Bytes of a log that a plain read answers at most, in whole lines (INS-124). */
export const LOG_READ_MAX_BYTES = 4 * 1024 * 1024

export const instanceLogs = operation({
  name: 'instance:logs',
  group: 'Logs',
  method: 'GET',
  path: '/instances/{instance}/logs',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    lines: z.int().min(1).max(1000).default(100).describe('Number of lines from the end of the log.'),
  }),
  output: z.strictObject({
    id,
    name: z.string(),
    /** As many as were asked for; the log may have fewer. */
    lines: z.int(),
    /** Oldest first, separated by newlines; stored environment values and keys are masked. Empty without a log. */
    logs: z.string(),
  }),
  errors: ['node.not_active', 'logs.read_failed', ...commandErrors],
  unknown: { instance: 'instance.not_found' },
  summary: 'Read the end of the framework log of an Instance',
  description:
    'Reads over SSH, so it needs no realtime service. To follow the same log live, use `instance:log-stream:open`.',
})
