import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { instance } from './records.ts'

export const instanceSetup = operation({
  name: 'instance:setup',
  group: 'Instances',
  method: 'POST',
  path: '/instances/{instance}/setup',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId }),
  output: instance,
  watchable: true,
  errors: [
    'instance.setup_unavailable',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'instance.checkout_path_unsafe',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_failed',
    'node.not_active',
    'instance.setup_step_failed',
    'instance.setup_step_unavailable',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Run all setup steps of the Project again',
})
