import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { wakePage } from './records.ts'

export const instanceWake = operation({
  name: 'instance:wake',
  group: 'Instances',
  method: 'GET',
  path: '/runtime-activations/app-instance/{instance}',
  access: 'instanceNode',
  kind: 'page',
  input: z.strictObject({ instance: instanceId }),
  output: wakePage,
  // The page names all but those of the Node's shell.
  errors: [
    'instance.wake_failed',
    'instance.lifecycle_busy',
    'instance.lifecycle_conflict',
    'instance.transfer_incomplete',
    'node.not_active',
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  tool: false,
  summary: 'Wake a sleeping Instance; asked by its web server for each visitor until it is awake',
})
