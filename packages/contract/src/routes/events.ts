import * as z from 'zod'
import { id } from '../params.ts'
import { route } from './records.ts'

export const routeEvents = {
  'route.created': { data: route, summary: 'A Route was created.' },
  'route.updated': { data: route, summary: 'The domain, the publication or the target of a Route changed.' },
  'route.deleted': {
    data: z.strictObject({ id, domain: z.string() }),
    summary: 'A Route was removed, or another one with another domain took its place.',
  },
} as const
