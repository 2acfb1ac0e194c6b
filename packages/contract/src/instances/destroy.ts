import * as z from 'zod'
import { publicationErrors } from '../dns/errors.ts'
import { productionPhpErrors } from '../php/errors.ts'
import { servingErrors } from '../routes/errors.ts'
import { commandErrors } from '../nodes/errors.ts'
import { loginErrors } from '../source-host/login-errors.ts'
import { operation } from '../operation.ts'
import { flag, instanceId } from '../params.ts'
import { removalWithOthers } from './records.ts'

export const instanceDestroy = operation({
  name: 'instance:destroy',
  group: 'Instances',
  method: 'DELETE',
  path: '/instances/{instance}',
  access: 'instanceNode',
  input: z.strictObject({
    instance: instanceId,
    force: flag
      .optional()
      .describe(
        'Discard uncommitted work and unpushed commits, and remove the Instances too whose checkouts are linked worktrees of this one.',
      ),
    offline: flag
      .optional()
      .describe('If the Node does not answer, remove only the record. The checkout stays there for now.'),
  }),
  output: removalWithOthers,
  watchable: true,
  errors: [
    'instance.transfer_incomplete',
    'instance.clone_in_progress',
    'instance.remove_refused',
    'node.confirmation_required',
    'instance.removal_conflict',
    'instance.removal_failed',
    'instance.force_failed',
    'instance.lifecycle_busy',
    'database.connection_attached',
    ...loginErrors,
    'instance.lifecycle_conflict',
    'instance.teardown_step_failed',
    'instance.teardown_step_unavailable',
    'instance.checkout_path_unsafe',
    'instance.source_path_mismatch',
    'instance.source_ownership_mismatch',
    'instance.source_layout_mismatch',
    'instance.source_origin_mismatch',
    'instance.source_branch_mismatch',
    'instance.source_worktrees_mismatch',
    'route.busy',
    'route.node_unreachable',
    'node.not_active',
    'node.lock_lost',
    ...servingErrors,
    ...productionPhpErrors,
    'app-prod.web_root_invalid',
    ...publicationErrors,
    ...commandErrors,
  ],
  unknown: { instance: 'instance.not_found' },
  summary: 'Remove an Instance and its checkout',
  description:
    'A Route of the Instance is withdrawn first: until its domain is forgotten, it answers 503. Fails if the checkout has uncommitted work or stashes, also in a repository below it that Git ignores, such as in `vendor` (`details.repositories`), commits that only local branches, tags or notes have and no branch, tag or note of the origin, or linked worktrees; `force` waives only these three. What else Git ignores is deleted without a question: uploads, `.env` and SQLite files that nobody has registered. `details.reasons` names what was found, and `details.instances` the Instances that `force` would remove too, since their checkouts are linked worktrees of this one; `removed_instances` of the answer names those that it has removed. Of a production Instance the releases, the environment, `database.sqlite` and the account stay on the Node, in its home. Teardown steps run before the removal is accepted. Of a registration that did not end nothing is deleted, by `force` neither: the directory goes back to where it was, and the removal fails while something else is there. Repeating the same request resumes an unfinished removal; `force` can be added then, but not withdrawn. With `offline`, a Node that does not answer or is not active is not contacted: only the record is removed. This needs `force`, because nobody can check for unsaved work; a transfer that is open, which refuses any other removal, is given up with it. `offline` also skips Routers that do not answer. `retained_on_nodes` names what stays until the Node is back and converged: the path of a checkout, which `instance:register` on that Node adopts again before that, in production that of the home, which holds the environment too and stays, or null for the site and certificate of a Router and for a `database` on a server that does not answer; and, of a transfer that was given up, the path of a whole copy on its other Node, which nothing deletes and `instance:register` adopts there. A database on a server that the Instance owns is dropped with it, with all its data and every database whose name begins with the name of its test database, and a SQLite file in its checkout is deleted: `removed_databases` names them. So the removal is refused while another Instance or a Process that stays uses one, or stored values of another Instance have its password.',
})
