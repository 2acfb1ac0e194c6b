import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { plainLog, readLines } from './plain-read.ts'

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
    ...readLines,
  }),
  output: plainLog,
  errors: ['node.not_active', 'logs.read_failed', ...commandErrors],
  unknown: { instance: 'instance.not_found' },
  summary: 'Read the end of the framework log of an Instance',
  description:
    'Reads over SSH, so it needs no realtime service. To follow the same log live, use `instance:log-stream:open`.',
})
