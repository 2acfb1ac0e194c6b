import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { cluster } from './records.ts'

export const clusterDestroy = operation({
  name: 'cluster:destroy',
  group: 'Clusters',
  method: 'DELETE',
  path: '/clusters/{cluster}',
  access: 'clusterNodes',
  input: z.strictObject({ cluster: id }),
  output: cluster,
  errors: ['cluster.not_empty', 'cluster.has_routes', 'cluster.router_busy'],
  unknown: { cluster: 'cluster.not_found' },
  summary: 'Remove a Cluster that has neither members nor Routes',
})
