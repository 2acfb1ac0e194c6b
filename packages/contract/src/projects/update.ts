import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { branchName, project, projectSlug, projectTypes, sourceAccesses, taskComputes } from './records.ts'

export const projectUpdate = operation({
  name: 'project:update',
  group: 'Projects',
  method: 'PATCH',
  path: '/projects/{project}',
  access: 'gateway',
  input: z.strictObject({
    project: id,
    code: z.string().optional().describe('Three capital letters. Must be changed in a separate request.'),
    type: z.enum(projectTypes).optional().describe('Kind of source.'),
    slug: projectSlug.optional().describe('Short name, part of checkout paths.'),
    repository_url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('HTTPS or SSH URL of the Git repository.'),
    source_access: z
      .enum(sourceAccesses)
      .optional()
      .describe('How the fleet authenticates to a private repository.'),
    default_branch: branchName.optional().describe('Branch that new Instances check out.'),
    root: z.string().min(1).max(255).optional().describe('Web root relative to the repository.'),
    task_check: z
      .string()
      .min(1)
      .max(4096)
      .nullable()
      .optional()
      .describe('Command that verifies the work of a task.'),
    task_workspace_routed: z.boolean().optional().describe('Whether task workspaces get a Route.'),
    review_and_merge: z.boolean().optional().describe('Whether finished tasks are reviewed and merged.'),
    merge_check: z
      .string()
      .min(1)
      .max(255)
      .nullable()
      .optional()
      .describe('Check that must pass before a merge.'),
    task_compute: z.enum(taskComputes).optional().describe('Where tasks run.'),
  }),
  output: project,
  errors: [
    'project.update_required',
    'project.code_update_separate',
    'project.invalid_code',
    'project.code_conflict',
    'project.slug_conflict',
    'project.repository_identity_conflict',
    'project.default_branch_unavailable',
    'project.update_unavailable',
    'github.cli_unauthenticated',
    'project.lifecycle_busy',
  ],
  unknown: { project: 'project.not_found' },
  summary: 'Change the settings of a Project',
  description:
    'Type, code, source access and task settings can be changed at any time. Slug, repository, default branch and root can be changed only while the Project has no Instances.',
})
