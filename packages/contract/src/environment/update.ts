import * as z from 'zod'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { environmentResult } from './records.ts'

export const envUpdate = operation({
  name: 'env:update',
  group: 'Environment',
  method: 'PUT',
  path: '/instances/{instance}/environment/{key}',
  access: 'instanceNode',
  // The rules of key and value have a code of their own, so the schema only fixes the types (ENV-075).
  input: z.strictObject({
    instance: instanceId,
    key: z.string().describe('Name of the variable.'),
    value: z
      .string()
      .meta({ description: 'Value of the variable; may contain placeholders.', writeOnly: true }),
  }),
  output: environmentResult,
  errors: [
    'env.owner_unavailable',
    'instance.placement_unavailable',
    'instance.source_profile_missing',
    'instance.transfer_incomplete',
    'env.configuration_invalid',
    'env.operation_busy',
  ],
  unknown: { instance: 'instance.not_found' },
  judgesText: true,
  positional: ['key', 'value'],
  summary: 'Store one environment value',
  description:
    'Does not contact the Node. Synchronize (`env:sync`) to write the file. Until then the file has the values of the last synchronization, and `env:import` with `replace` takes that back, with every other value of the file. A stored key stays: one that was stored by mistake can only get an empty value.',
})
