import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { servingErrors } from '../routes/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { project } from '../projects/records.ts'
import { placementErrors, setupErrors } from './new-instance-errors.ts'
import { instance } from './records.ts'

/** What a registration made of a checkout, with the key names of INS-080. */
export const registration = z.strictObject({
  app: project,
  app_instance: instance,
  instances: z.array(instance),
  status: z.literal('completed'),
  source_count: z.int(),
  completed_count: z.int(),
})
export type RegistrationData = z.output<typeof registration>

export const instanceRegister = operation({
  name: 'instance:register',
  group: 'Instances',
  method: 'POST',
  path: '/instances/register',
  access: 'peer',
  input: z.strictObject({
    source_path: z
      .string()
      .min(1)
      .max(4096)
      .describe("Absolute path of a Git checkout on the caller's Node."),
    project_id: id
      .optional()
      .describe('The Project of the checkout. Default: the one with the repository of its origin.'),
    include_worktrees: z
      .boolean()
      .optional()
      .describe(
        'Adopts every linked worktree of the checkout too, each as an Instance with the name of its directory. Default: false.',
      ),
    instance_name: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe(
        'Name of the Instance. Default: the name of the directory. A checkout of the default branch in a directory with the slug of the Project is always `default`.',
      ),
    root: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('Web root relative to the repository, instead of that of the Project.'),
    domain: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe('Domain of its Route. Default: as in `instance:create`.'),
    setup: z.boolean().optional().describe('Runs the setup steps of the Project afterwards. Default: false.'),
  }),
  output: registration,
  creates: true,
  watchable: true,
  errors: [
    'project.not_found',
    'project.source_defaults_incomplete',
    'instance.project_missing',
    'instance.identity_conflict',
    'instance.name_invalid',
    'instance.node_inactive',
    'instance.candidate_required',
    'instance.node_not_app_dev',
    'instance.node_excluded',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_layout_mismatch',
    'instance.source_origin_mismatch',
    'instance.source_changed',
    'instance.branch_resolution_failed',
    ...placementErrors,
    'instance.source_failed',
    'instance.lifecycle_busy',
    ...setupErrors,
    'node.lock_lost',
    'node.settings_root_failed',
    'node.capability_missing',
    ...servingErrors,
    ...publicationErrors,
    ...commandErrors,
  ],
  summary: "Adopt an existing checkout of the caller's Node as an Instance",
  description:
    'The directory moves, with all that is in it, to the place of the Instance: `<apps root>/<project>/<name>`. To another file system it is copied, compared, and only then removed. Linked worktrees stay where they are and are repaired; with `include_worktrees` they become Instances with the layout `worktree`, and so does a worktree that is named itself once its checkout is an Instance. Commits, branches, stashes, untracked files and `.env` are kept; links and environment files that Git does not have name the new place. A failure before the Instance is `active` puts the directory back; where it cannot go back, it stays, and `instance:destroy` puts it there later. A failed setup step keeps the Instance. Once the Instance is `active` there is no way back but `instance:destroy`, which deletes the checkout.',
  positional: ['source_path'],
})
