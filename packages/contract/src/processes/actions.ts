import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { process } from './records.ts'

const action = {
  group: 'Processes',
  method: 'POST',
  access: 'processNode',
  input: z.strictObject({ process: id }),
  output: process,
  unknown: { process: 'process.not_found' },
} as const

/** What any operation on the unit of a Process can answer. */
const actionErrors = [
  'process.target_inactive',
  'process.not_active',
  'process.operation_busy',
  'process.runtime_lock_failed',
  'process.unit_conflict',
  'process.runtime_failed',
  'instance.lifecycle_busy',
  'node.capability_missing',
  'node.lock_lost',
  ...commandErrors,
] as const

export const processStart = operation({
  ...action,
  name: 'process:start',
  path: '/processes/{process}/start',
  errors: [...actionErrors, 'process.release_unavailable'],
  summary: 'Start a Process',
  description:
    'Writes its unit again first if it changed. Returns the status read after the start; a command that ended at once shows as `failed` or `activating`, and `fleet process:logs` shows why.',
})

export const processStop = operation({
  ...action,
  name: 'process:stop',
  path: '/processes/{process}/stop',
  errors: actionErrors,
  summary: 'Stop a Process',
  description:
    'All its processes get SIGTERM, and SIGKILL after 30 seconds. It does not start at boot any more.',
})

export const processRestart = operation({
  ...action,
  name: 'process:restart',
  path: '/processes/{process}/restart',
  errors: [...actionErrors, 'process.release_unavailable'],
  summary: 'Restart a Process; starts one that does not run',
})
