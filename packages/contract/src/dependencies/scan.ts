import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { inspectionErrors } from './errors.ts'
import { dependencyInventory } from './records.ts'

export const dependenciesScan = operation({
  name: 'instance:dependencies:scan',
  group: 'Dependencies',
  method: 'POST',
  path: '/instances/{instance}/dependencies/scan',
  access: 'instanceNode',
  input: z.strictObject({ instance: id }),
  output: dependencyInventory,
  errors: inspectionErrors,
  unknown: { instance: 'instance.not_found' },
  summary: 'Read the dependencies of an Instance from its manifests and lock files',
  description:
    'Reads files only: no package manager runs. Status 200 says that the scan ran; `succeeded` and the state of each ecosystem say how it ended. A failed ecosystem keeps its last observation, marked `stale`.',
})
