import * as z from 'zod'
import { plainLog, readLines } from '../logs/plain-read.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'

export const processLogs = operation({
  name: 'process:logs',
  group: 'Processes',
  method: 'GET',
  path: '/processes/{process}/logs',
  access: 'processNode',
  input: z.strictObject({
    process: id,
    ...readLines,
  }),
  output: plainLog,
  errors: ['node.not_active', 'process.logs_failed', ...commandErrors],
  unknown: { process: 'process.not_found' },
  summary: 'Show the end of the log of a Process',
  description:
    'Stored environment values and keys are masked. At most 1 MiB. To follow a log, open a live one (`fleet process:log-stream:open`).',
})
