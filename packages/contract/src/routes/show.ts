import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { shownRoute } from './records.ts'

export const routeShow = operation({
  name: 'route:show',
  group: 'Routes',
  method: 'GET',
  path: '/routes/{route}',
  access: 'routeNodes',
  input: z.strictObject({ route: id }),
  output: shownRoute,
  unknown: { route: 'route.not_found' },
  summary: 'Show one Route with its targets',
})
