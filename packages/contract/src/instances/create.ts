import * as z from 'zod'
import { databaseSlug } from '../databases/records.ts'
import { environmentSyncErrors } from '../environment/sync.ts'
import { publicationErrors } from '../dns/errors.ts'
import { servingErrors } from '../routes/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { loginErrors } from '../source-host/login-errors.ts'
import { operation } from '../operation.ts'
import { dnsLabel, id } from '../params.ts'
import { branchName } from '../projects/records.ts'
import { copyErrorCodes } from './copy-errors.ts'
import { placementErrors, setupErrors } from './new-instance-errors.ts'
import { instance } from './records.ts'

export const instanceCreate = operation({
  name: 'instance:create',
  group: 'Instances',
  method: 'POST',
  path: '/instances',
  access: 'bodyNode',
  input: z.strictObject({
    project_id: id.describe('The Project to check out.'),
    node_id: id.describe('The Node for the checkout.'),
    name: dnsLabel.describe('Name, unique in the Project. `default` is the default development Instance.'),
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
      .describe(
        'Domain of its Route. Default: `<project>.<tld>` for `default`, otherwise `<name>.<project>.<tld>`, with the top-level domain of the Node or its active Cluster.',
      ),
    branch: branchName
      .optional()
      .describe(
        'Branch to check out; created if it does not exist: from the commit that `default` has deployed on this Node, else from the default branch. Default: the default branch for `default`, otherwise the branch with the name of the Instance.',
      ),
    database_server: databaseSlug
      .optional()
      .describe(
        'Slug of a database server: a database on it is created for the Instance and attached under `DB` before setup. Default: a copy of the database that the Instance `default` has under `DB`.',
      ),
    source_instance_id: id
      .optional()
      .describe(
        'A development Instance of the Project on the same Node, which the new one is a copy of. Default: a fresh checkout of the repository.',
      ),
  }),
  output: instance,
  creates: true,
  watchable: true,
  errors: [
    'project.not_found',
    'node.not_found',
    'project.source_defaults_incomplete',
    'instance.node_inactive',
    'instance.candidate_required',
    'instance.node_not_app_dev',
    'instance.node_excluded',
    ...placementErrors,
    'instance.branch_resolution_failed',
    'instance.source_failed',
    'instance.lifecycle_busy',
    ...loginErrors,
    ...setupErrors,
    'instance.database_clone_unsupported',
    'instance.database_clone_failed',
    'database.server_missing',
    'database.server_inactive',
    'database.server_command_failed',
    'database.slug_conflict',
    'database.name_conflict',
    'database.operation_busy',
    'database.server_busy',
    'database.password_unreadable',
    ...copyErrorCodes,
    ...environmentSyncErrors,
    'node.lock_lost',
    'node.settings_root_failed',
    'node.capability_missing',
    ...servingErrors,
    ...publicationErrors,
    ...commandErrors,
  ],
  summary: 'Create an Instance: check out a Project on a Node',
  description:
    'An Instance of a `laravel-app` or `symfony-app`, or one with a `domain`, gets a Route: its domain is reserved first, and it is served before the Instance is `active`. Repeating the same request resumes an unfinished creation at its first unfinished state; for an active Instance it returns 200 and runs nothing. A failure before `active` removes what the attempt created. A failed setup step runs the teardown steps and removes the Instance again. An Instance gets its database between `active` and setup: a new one on `database_server`, otherwise a copy of the one that `default` has under `DB`. It owns that database, `.env` and `.env.testing` have its keys, and a failure removes both again. An Instance that was `active` before the request stays after such a failure, with `details.cleanup: incomplete`, where `instance:destroy` without `force` would refuse it. Submodules are not fetched: their directories stay empty until a setup step fetches them. Files in Git LFS require Git LFS on the Node. With `source_instance_id` the checkout of that Instance is copied with all that Git ignores, such as installed dependencies, but for caches and logs; the branch starts at its commit. SQLite files are copied as of one moment, other databases are shared with the source, and stored values that name its path or domain name those of the copy. The source must be clean and on its recorded branch.',
  positional: ['project_id', 'node_id', 'name'],
})
