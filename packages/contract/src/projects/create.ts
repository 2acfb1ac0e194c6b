import * as z from 'zod'
import { operation } from '../operation.ts'
import { displayName, filledText } from '../params.ts'
import { loginErrors } from '../source-host/login-errors.ts'
import { branchName, project, projectSlug, projectTypes, sourceAccesses, taskComputes } from './records.ts'

export const projectCreate = operation({
  name: 'project:create',
  group: 'Projects',
  method: 'POST',
  path: '/projects',
  access: 'gateway',
  input: z.strictObject({
    slug: projectSlug.describe('Short name, part of checkout paths.'),
    type: z.enum(projectTypes).describe('Kind of source.'),
    repository_url: z.string().min(1).max(2048).describe('HTTPS or SSH URL of the Git repository.'),
    root: z
      .string()
      .min(1)
      .max(255)
      .describe('Web root relative to the repository; `.` is the repository root.'),
    name: displayName.optional().describe('Display name. Default: the slug.'),
    // Its rule has an error code of its own, so the schema only fixes the type.
    code: z.string().optional().describe('Three capital letters. Default: derived from the slug.'),
    default_branch: branchName.optional().describe('Default: read from the remote.'),
    defaults: z.record(z.string(), z.unknown()).nullable().optional().describe('Defaults of new Instances.'),
    source_access: z
      .enum(sourceAccesses)
      .optional()
      .describe('How the fleet authenticates to a private repository.'),
    deploy_key: z
      .boolean()
      .optional()
      .describe('Read a private repository over SSH with a deploy key that the gateway makes.'),
    task_check: filledText(4096).nullable().optional().describe('Command that verifies the work of a task.'),
    task_workspace_routed: z.boolean().optional().describe('Whether task workspaces get a Route.'),
    task_compute: z.enum(taskComputes).optional().describe('Where tasks run.'),
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
    'project.deploy_key_pending',
    ...loginErrors,
  ],
  summary: 'Create a Project from a Git repository',
  description:
    'If the default branch is omitted, it is read once from the remote and stored. `name` and `defaults` stay as they are created; `project:update` changes the rest. Repeating the same request returns 200 with the stored Project and reads nothing. With `deploy_key`, the first request makes a key and is refused with its public part; once that is added to the repository at the Git host, the identical request creates the Project.',
  positional: ['slug', 'repository_url'],
})
