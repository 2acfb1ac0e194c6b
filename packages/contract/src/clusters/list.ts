import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { cluster } from './records.ts'

export const clusterList = operation({
  name: 'cluster:list',
  group: 'Clusters',
  method: 'GET',
  path: '/clusters',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(cluster),
  summary: 'List the Clusters that the caller can access, sorted by name',
  description:
    'Contains Clusters whose members the caller can all access. Clusters without members require a grant on the gateway Node.',
})
