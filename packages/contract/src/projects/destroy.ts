import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { projectSlug } from './records.ts'

export const projectDestroy = operation({
  name: 'project:destroy',
  group: 'Projects',
  method: 'DELETE',
  path: '/projects/{project}',
  access: 'gateway',
  input: z.strictObject({ project: id }),
  output: z.strictObject({ id, name: z.string(), slug: projectSlug }),
  errors: ['project.has_instances', 'project.has_routes', 'project.lifecycle_busy'],
  unknown: { project: 'project.not_found' },
  summary: 'Remove a Project that has neither Instances nor Routes',
})
