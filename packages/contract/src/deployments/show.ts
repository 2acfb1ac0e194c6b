import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { deploymentDetail } from './records.ts'

export const deploymentShow = operation({
  name: 'deployment:show',
  group: 'Deployments',
  method: 'GET',
  path: '/deployments/{deployment}',
  access: 'deploymentNode',
  input: z.strictObject({ deployment: id }),
  output: deploymentDetail,
  unknown: { deployment: 'deployment.not_found' },
  summary: 'Show a deployment with its phases and the end of its output',
})
