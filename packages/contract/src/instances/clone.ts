import * as z from 'zod'
import { commandErrors } from '../nodes/errors.ts'
import { loginErrors } from '../source-host/login-errors.ts'
import { operation } from '../operation.ts'
import { publicationErrors } from '../dns/errors.ts'
import { newRouteErrors, servingErrors } from '../routes/errors.ts'
import { isFirstLabels } from '../routes/records.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { dnsLabel, id, instanceId } from '../params.ts'
import { branchName } from '../projects/records.ts'
import { instance } from './records.ts'
import { sqliteSourcePath } from './sqlite.ts'
import { seedErrors } from './sqlite-errors.ts'

export const instanceClone = operation({
  name: 'instance:clone',
  group: 'Instances',
  method: 'POST',
  path: '/instances/{candidate}/clone',
  access: 'cloneNodes',
  input: z.strictObject({
    candidate: instanceId.describe('The Instance to clone: its id, or a domain of one of its Routes.'),
    node_id: id.describe('The Node with the app-prod role that runs the clone.'),
    name: dnsLabel.describe('Name of the clone, unique in the Project.'),
    preview_name: z
      .string()
      .min(1)
      .max(253)
      .refine(isFirstLabels, 'must be one or more labels of a domain')
      .describe(
        'First labels of the preview domain `<preview_name>.<node tld>`; part of the identity of the request. A Project of another type than `laravel-app` and `symfony-app` gets no preview.',
      ),
    branch: branchName.optional().describe('Branch to check out. Default: that of the candidate.'),
    sqlite_source_path: sqliteSourcePath
      .optional()
      .describe(
        'A SQLite database of the candidate, on its Node. The clone gets a copy of it as `<home>/database.sqlite`, which its `DB_DATABASE` names.',
      ),
  }),
  output: instance,
  creates: true,
  watchable: true,
  errors: [
    'node.not_found',
    'instance.node_inactive',
    'instance.node_not_app_prod',
    'instance.placement_conflict',
    'instance.production_placement_conflict',
    'instance.clone_retry_conflict',
    'instance.clone_candidate_inactive',
    'instance.clone_candidate_unavailable',
    'instance.clone_candidate_branch_invalid',
    'instance.clone_candidate_dirty',
    'instance.clone_candidate_commit_unavailable',
    'instance.clone_candidate_repository_unavailable',
    'instance.clone_candidate_release_missing',
    'instance.clone_candidate_release_changed',
    'instance.clone_candidate_source_invalid',
    'instance.clone_candidate_environment_invalid',
    'instance.clone_candidate_changed',
    'instance.clone_target_branch_missing',
    'instance.clone_failed',
    ...seedErrors,
    'instance.checkout_path_unsafe',
    'instance.branch_resolution_failed',
    'instance.source_failed',
    'instance.lifecycle_busy',
    ...loginErrors,
    'instance.transfer_incomplete',
    'instance.lifecycle_conflict',
    ...newRouteErrors,
    ...servingErrors,
    ...publicationErrors,
    'env.configuration_invalid',
    'process.name_taken',
    'process.unit_conflict',
    'process.container_conflict',
    'process.image_unavailable',
    'process.runtime_failed',
    'process.runtime_lock_failed',
    'database.not_found',
    'database.password_unreadable',
    'database.operation_busy',
    'database.server_busy',
    'schedule.retry_conflict',
    'schedule.calendar_invalid',
    'schedule.artifact_conflict',
    'schedule.install_failed',
    'schedule.node_unreachable',
    'project.lifecycle_busy',
    'project.update_in_progress',
    'app-dev.laravel_source_invalid',
    'app-dev.symfony_source_invalid',
    'app-dev.source_metadata_unsafe',
    ...productionPhpErrors,
    'node.capability_missing',
    'node.settings_root_failed',
    'node.lock_lost',
    ...commandErrors,
  ],
  unknown: { candidate: 'instance.not_found' },
  summary: 'Clone an Instance to production',
  description: `The candidate is an active development Instance whose source is clean, on its recorded branch and pushed, or an active production Instance with a selected release; it keeps running and does not change. The clone gets a Unix user with a home of its own, a fresh checkout of the branch in \`releases/initial\`, the stored environment of the candidate with the production values of \`APP_ENV\` and \`APP_DEBUG\`, stopped copies of the production definitions of its Project and, with \`composer.json\`, a PHP service of its own. It has no selected release until its first deployment. Repeating the same request resumes an unfinished clone at its first unfinished step; for a finished one it returns 200. A Project of type \`laravel-app\` or \`symfony-app\` gets a private Route of its own at the preview domain, which has nothing to serve before the first deployment. With \`sqlite_source_path\` it also gets a copy of one moment of a SQLite database of the candidate, checked on both Nodes.`,
  positional: ['candidate', 'node_id', 'name'],
})
