import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { id } from '../params.ts'
import { process } from './records.ts'

/** What the start, the stop and the restart of a Process have in common. */
export const action = {
  group: 'Processes',
  method: 'POST',
  access: 'processNode',
  input: z.strictObject({ process: id }),
  output: process,
  unknown: { process: 'process.not_found' },
} as const

/** What any operation on the unit of a Process can answer. */
export const actionErrors = [
  'process.target_inactive',
  'process.not_active',
  'process.operation_busy',
  'process.runtime_lock_failed',
  'process.unit_conflict',
  'process.container_conflict',
  'process.port_unavailable',
  'process.image_unavailable',
  'process.runtime_failed',
  'database.password_unreadable',
  'instance.lifecycle_busy',
  'instance.transfer_incomplete',
  'node.capability_missing',
  'node.lock_lost',
  ...commandErrors,
] as const
