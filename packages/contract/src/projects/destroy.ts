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
  output: z.strictObject({
    id,
    name: z.string(),
    slug: projectSlug,
    /** Definitions that were deleted with it, beyond the specification. */
    removed_definitions: z.array(z.strictObject({ kind: z.enum(['process', 'schedule']), name: z.string() })),
    /** Fingerprint of its deploy key, which was deleted with it and can be taken from the Git host. */
    removed_deploy_key: z.string().nullable(),
  }),
  errors: ['project.has_instances', 'project.has_routes', 'project.lifecycle_busy'],
  unknown: { project: 'project.not_found' },
  summary: 'Remove a Project that has neither Instances nor Routes',
  description:
    'Its definitions of Processes and Schedules are deleted with it, with the values of their variables, which nothing shows any more, and so are its deploy, setup and teardown steps and its deploy key. The answer names the definitions and the key.',
})
