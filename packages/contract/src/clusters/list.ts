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
  summary: 'List the Clusters that the caller may address, by name',
  description:
    'Holds Clusters of which the caller may address every member; those without members need a grant on the gateway Node.',
})
