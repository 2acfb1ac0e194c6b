import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { instance } from './records.ts'

export const instanceList = operation({
  name: 'instance:list',
  group: 'Instances',
  method: 'GET',
  path: '/instances',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(instance),
  summary: 'List the Instances on Nodes that the caller can access, sorted by Project and name',
})
