import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { route } from './records.ts'

export const routeList = operation({
  name: 'route:list',
  group: 'Routes',
  method: 'GET',
  path: '/routes',
  access: 'peer',
  input: z.strictObject(none),
  output: z.array(route),
  summary: 'List the Routes that the caller may address, by id',
  description:
    'Holds Routes of all kinds whose serving Node, or every member of whose Cluster, the caller may address.',
})
