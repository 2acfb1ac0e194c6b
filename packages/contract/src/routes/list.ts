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
  summary: 'List the Routes that the caller can access, sorted by id',
  description:
    'Contains Routes of all kinds if the caller can access the serving Node, or every member of the Cluster.',
})
