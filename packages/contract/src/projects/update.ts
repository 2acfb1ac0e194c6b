import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { environmentSyncErrors } from '../environment/sync.ts'
import { changeErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { filledText, id } from '../params.ts'
import { servingErrors } from '../routes/errors.ts'
import { loginErrors } from '../source-host/login-errors.ts'
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
    task_check: filledText(4096).nullable().optional().describe('Command that verifies the work of a task.'),
    task_workspace_routed: z.boolean().optional().describe('Whether task workspaces get a Route.'),
    review_and_merge: z.boolean().optional().describe('Whether finished tasks are reviewed and merged.'),
    merge_check: filledText(255).nullable().optional().describe('Check that must pass before a merge.'),
    task_compute: z.enum(taskComputes).optional().describe('Where tasks run.'),
    resume: z
      .boolean()
      .optional()
      .describe(
        'Runs the update that did not finish again, with the members that it had; without one it changes nothing. Excludes every other member.',
      ),
  }),
  output: project,
  watchable: true,
  errors: [
    'project.update_required',
    'project.code_update_separate',
    'project.invalid_code',
    'project.code_conflict',
    'project.slug_conflict',
    'project.repository_identity_conflict',
    'project.default_branch_unavailable',
    'project.update_in_progress',
    'project.repository_preflight_failed',
    'project.repository_origin_failed',
    'project.repository_unowned_common',
    'project.source_switch_failed',
    'project.production_ownership_changed',
    'project.update_failed',
    ...loginErrors,
    'project.lifecycle_busy',
    'instance.lifecycle_busy',
    'instance.transfer_incomplete',
    'instance.lifecycle_conflict',
    'instance.route_required',
    'instance.checkout_path_unsafe',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_failed',
    'app-dev.laravel_source_invalid',
    'app-dev.laravel_url_configuration_failed',
    'app-dev.symfony_source_invalid',
    'app-dev.source_metadata_unsafe',
    'route.domain_invalid',
    'route.domain_conflict',
    'route.tld_required',
    'route.target_web_root_unsupported',
    'route.reconciliation_required',
    'route.router_required',
    'route.node_inactive',
    'route.application_url_failed',
    'route.busy',
    ...environmentSyncErrors,
    ...servingErrors,
    ...publicationErrors,
    ...changeErrors,
    'http.draining',
  ],
  unknown: { project: 'project.not_found' },
  summary: 'Change the settings of a Project',
  description:
    'Type, code, source access and task settings apply at once; a type is refused while an Instance has a root that it does not allow, lacks the Route that it needs, or is being created without one. Slug, repository, default branch and root of a Project with Instances change as one recorded operation: every checkout, Route and Node is checked first; then `origin` and branch of the checkouts change and the next domains are served beside the old ones; then the values are published and the old domains are withdrawn after 31 s. A failure before that is rolled back, a later one is finished by the identical request. Checkout paths, explicit domains and production Instances stay.',
})
