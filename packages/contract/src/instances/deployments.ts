import * as z from 'zod'
import { instanceDeployment } from '../deployments/records.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'

export const instanceDeployments = operation({
  name: 'instance:deployments',
  group: 'Deployments',
  method: 'GET',
  path: '/instances/{instance}/deployments',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId }),
  output: z.array(instanceDeployment),
  unknown: { instance: 'instance.not_found' },
  summary: 'List the deployments and rollbacks of an Instance, newest first',
  description: 'The 50 newest are kept.',
})
