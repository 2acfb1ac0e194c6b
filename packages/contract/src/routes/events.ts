import * as z from 'zod'
import { id } from '../params.ts'
import { route } from './records.ts'

export const routeEvents = {
  'route.created': { data: route, summary: 'A Route was created.' },
  'route.deleted': {
    data: z.strictObject({ id, domain: z.string() }),
    summary: 'A Route was removed.',
  },
} as const
