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
    code: z.string().optional(),
    type: z.enum(projectTypes).optional(),
    slug: projectSlug.optional(),
    repository_url: z.string().min(1).max(2048).optional(),
    source_access: z.enum(sourceAccesses).optional(),
    default_branch: branchName.optional(),
    root: z.string().min(1).max(255).optional(),
    task_check: z.string().min(1).max(4096).nullable().optional(),
    task_workspace_routed: z.boolean().optional(),
    review_and_merge: z.boolean().optional(),
    merge_check: z.string().min(1).max(255).nullable().optional(),
    task_compute: z.enum(taskComputes).optional(),
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
    'project.lifecycle_busy',
  ],
  unknown: { project: 'project.not_found' },
  summary: 'Change a Project',
  description:
    'Type, code, source access and task settings apply at once. Slug, repository, default branch and root apply at once too while the Project has no Instances, and are refused otherwise.',
})
