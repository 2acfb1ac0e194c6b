import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { dependencyInventory } from './records.ts'

export const dependenciesShow = operation({
  name: 'instance:dependencies:show',
  group: 'Dependencies',
  method: 'GET',
  path: '/instances/{instance}/dependencies',
  access: 'instanceNode',
  input: z.strictObject({ instance: id }),
  output: dependencyInventory,
  unknown: { instance: 'instance.not_found' },
  summary: 'Show the stored dependencies of an Instance',
  description:
    'Does not contact the Node. It shows what the lock files resolve, which is not always what is installed.',
})
