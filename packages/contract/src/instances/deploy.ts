import * as z from 'zod'
import { deploymentLine } from '../deployments/records.ts'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'

export const instanceDeploy = operation({
  name: 'instance:deploy',
  group: 'Deployments',
  method: 'POST',
  path: '/instances/{instance}/deploy',
  access: 'instanceNode',
  kind: 'stream',
  input: z.strictObject({ instance: instanceId }),
  output: deploymentLine,
  errors: ['deployment.operation_busy', 'instance.transfer_incomplete'],
  unknown: { instance: 'instance.not_found' },
  summary: 'Deploy the latest commit of the branch of an Instance',
  description:
    'A production Instance gets a new release, which is selected once its first steps have run. The development Instance `default` is deployed in its checkout. Closing the connection cancels the deployment; nothing is rolled back. The last line is the result.',
  taskAction: true,
  endsWithClient: true,
})
