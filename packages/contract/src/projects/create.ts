import * as z from 'zod'
import { operation } from '../operation.ts'
import { branchName, project, projectSlug, projectTypes, sourceAccesses, taskComputes } from './records.ts'

export const projectCreate = operation({
  name: 'project:create',
  group: 'Projects',
  method: 'POST',
  path: '/projects',
  access: 'gateway',
  input: z.strictObject({
    slug: projectSlug,
    type: z.enum(projectTypes),
    /** HTTPS or SSH Git URL. */
    repository_url: z.string().min(1).max(2048),
    /** Repository-relative web root; `.` is the repository root. */
    root: z.string().min(1).max(255),
    name: z.string().min(1).max(255).optional(),
    /** Three capital letters; derived from the slug when absent. Its rule has a code of its own. */
    code: z.string().optional(),
    default_branch: branchName.optional(),
    defaults: z.record(z.string(), z.unknown()).nullable().optional(),
    source_access: z.enum(sourceAccesses).optional(),
    task_check: z.string().min(1).max(4096).nullable().optional(),
    task_workspace_routed: z.boolean().optional(),
    task_compute: z.enum(taskComputes).optional(),
  }),
  output: project,
  creates: true,
  errors: [
    'project.identity_conflict',
    'project.repository_identity_conflict',
    'project.default_branch_unavailable',
    'project.invalid_code',
    'project.code_conflict',
    'project.codes_exhausted',
    'project.lifecycle_busy',
    'github.cli_unauthenticated',
  ],
  summary: 'Create a Project from a Git repository',
  description:
    'An omitted default branch is read once from the remote and stored. The identical request answers 200 with the stored Project and reads nothing.',
  positional: ['slug', 'repository_url'],
})
