import * as z from 'zod'
import { operation } from '../operation.ts'
import { cluster, clusterName, clusterTld } from './records.ts'

export const clusterCreate = operation({
  name: 'cluster:create',
  group: 'Clusters',
  method: 'POST',
  path: '/clusters',
  access: 'gateway',
  input: z.strictObject({
    name: clusterName.describe('Display name, unique among Clusters.'),
    tld: clusterTld.optional().describe('One lowercase DNS label for generated domains. Default: none.'),
  }),
  output: cluster,
  creates: true,
  errors: ['cluster.tld_conflict'],
  summary: 'Create an inactive Cluster without members',
  description: 'Repeating the same request returns 200 with the stored Cluster.',
  positional: ['name', 'tld'],
})
