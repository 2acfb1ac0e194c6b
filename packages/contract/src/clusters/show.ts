import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterShow = operation({
  name: 'cluster:show',
  group: 'Clusters',
  method: 'GET',
  path: '/clusters/{cluster}',
  access: 'clusterNodes',
  input: z.strictObject({ cluster: id }),
  output: cluster,
  unknown: { cluster: 'cluster.not_found' },
  summary: 'Show one Cluster with its members and its Router',
})
