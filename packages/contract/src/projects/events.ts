import * as z from 'zod'
import { id } from '../params.ts'
import { project, projectSlug } from './records.ts'

export const projectEvents = {
  'project.created': { data: project, summary: 'A Project was created.' },
  'project.updated': { data: project, summary: 'A Project changed.' },
  'project.deleted': {
    data: z.strictObject({ id, name: z.string(), slug: projectSlug }),
    summary: 'A Project was removed.',
  },
} as const
