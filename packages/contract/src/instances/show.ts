import * as z from 'zod'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { instance } from './records.ts'

export const instanceShow = operation({
  name: 'instance:show',
  group: 'Instances',
  method: 'GET',
  path: '/instances/{instance}',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId }),
  output: instance,
  unknown: { instance: 'instance.not_found' },
  summary: 'Show one Instance',
})
