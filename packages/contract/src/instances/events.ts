import * as z from 'zod'
import { id } from '../params.ts'
import { instance } from './records.ts'

export const instanceEvents = {
  'instance.created': { data: instance, summary: 'An Instance was created.' },
  'instance.updated': {
    data: instance,
    summary:
      'The deployment branch, the recorded branch or the domain of an Instance changed, or the slug, web root or branch that it takes from its Project.',
  },
  'instance.deleted': { data: z.strictObject({ id, name: z.string() }), summary: 'An Instance was removed.' },
} as const
