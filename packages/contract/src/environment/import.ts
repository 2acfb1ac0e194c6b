import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { environmentResult } from './records.ts'

export const envImport = operation({
  name: 'env:import',
  group: 'Environment',
  method: 'POST',
  path: '/instances/{instance}/environment/import',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    replace: z.boolean().optional().describe('Overwrite stored keys with the values of the file.'),
  }),
  output: environmentResult,
  errors: [
    'env.owner_unavailable',
    'instance.placement_unavailable',
    'instance.source_profile_missing',
    'instance.transfer_incomplete',
    'env.import_source_missing',
    'env.source_unsafe',
    'env.configuration_invalid',
    'env.import_conflict',
    'env.operation_busy',
    'node.not_active',
    'node.command_failed',
    'node.capability_missing',
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: "Import the Instance's .env file into the stored configuration",
  description:
    'Without `replace`, the whole import fails if a key is already stored. With it, matching keys take the value of the file, new keys are added and other stored keys are kept. Values are never shown.',
})
