import * as z from 'zod'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { branchName } from '../projects/records.ts'
import { instance } from './records.ts'

export const instanceUpdate = operation({
  name: 'instance:update',
  group: 'Instances',
  method: 'PATCH',
  path: '/instances/{instance}',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    branch: branchName.describe('Branch whose latest commit the next deployment takes.'),
  }),
  output: instance,
  errors: ['deployment_config.unavailable'],
  unknown: { instance: 'instance.not_found' },
  summary: 'Change the deployment branch of a production Instance',
  description:
    'Affects the next deployment. `selected_branch` of the Instance stays the branch it was cloned from.',
  positional: ['instance', 'branch'],
})
