import type { NextSteps } from './step.ts'
import { AGAIN, SAME_COMMAND } from './words.ts'

const SHOW = 'fleet instance:show INSTANCE shows its state and what is wrong.'
const CANDIDATE = 'fleet instance:show CANDIDATE shows its state and what is wrong.'
const CLONE_ANEW =
  'Note the account that fleet instance:show CLONE shows, then remove the unfinished clone: fleet instance:destroy CLONE --force. Account and home stay on its Node and keep the name: if nothing in them is needed, as root there: userdel --remove USER. Then clone again, or under another name at once.'
const AS_RECORDED = `fleet instance:show INSTANCE shows what is recorded. Put the directory back as it was. ${AGAIN}`
const PATH_TAKEN = `details names the path. Move away what is there, or adopt it: fleet instance:register SOURCE-PATH. ${AGAIN}`
const OPEN_TRANSFER =
  'fleet instance:show INSTANCE shows the open transfer, and the command that finishes it.'
const NODE_STATE = 'fleet node:show NODE shows its status and the step that failed.'

/** Instances: creation, adoption, names, moves, copies, clones and removal. */
export const instanceSteps = {
  'instance.not_found': 'fleet instance:list shows the Instances.',
  'instance.remove_refused':
    'In the checkout of the details: git status, git stash list and git log --branches --tags --not --remotes show the work. Commit and push it, then run the same command again. Or discard it with --force.',
  'instance.node_not_app_dev': 'Add the role first: fleet node:role:add NODE app-dev',
  'instance.node_not_app_prod': 'Add the role first: fleet node:role:add NODE app-prod',
  'instance.node_inactive': NODE_STATE,
  'instance.node_excluded':
    'Choose another Node, or admit the Project on this one: fleet project:excluded-node:remove PROJECT NODE',
  'instance.candidate_required':
    'Create the Instance on a Node with the role app-dev, then clone it: fleet instance:clone CANDIDATE NODE NAME --preview-name PREVIEW',
  'instance.identity_conflict': 'fleet instance:list shows which Instance has the directory or the name.',
  'instance.path_taken': PATH_TAKEN,
  'instance.default_path_occupied': PATH_TAKEN,
  'instance.placement_unavailable':
    'fleet node:role:list NODE shows its roles. Give it one of app-dev and app-prod: fleet node:role:add NODE app-dev',
  'instance.placement_conflict':
    'fleet instance:list shows the Instance that has the name. Choose another name. Or remove that one, if it was a mistake: fleet instance:destroy OTHER, with the id of the details, which refuses what has work of its own.',
  'instance.ports_exhausted':
    'Remove Instances that are not needed on this Node: fleet instance:destroy INSTANCE',
  'instance.branch_resolution_failed':
    'Push the branch first, or name one that exists: git ls-remote --heads URL shows them.',
  'instance.lifecycle_conflict': `${SHOW} fleet instance:destroy INSTANCE finishes a removal.`,
  'instance.setup_unavailable': SHOW,
  'instance.setup_step_failed':
    'Fix the step or the source: fleet project:setup-step:list PROJECT shows the steps. Then fleet instance:setup INSTANCE runs them again.',
  'instance.setup_step_unavailable':
    'Install the program on the Node, or change the step: fleet project:setup-step:list PROJECT. Then fleet instance:setup INSTANCE runs it again.',
  'instance.teardown_step_failed': `Fix the step or the source: fleet project:teardown-step:list PROJECT shows the steps. ${AGAIN}`,
  'instance.teardown_step_unavailable': `Install the program on the Node, or remove the step: fleet project:teardown-step:list PROJECT. ${SAME_COMMAND}`,
  'instance.rename_unavailable': SHOW,
  'instance.branch_not_checked_out': SHOW,
  'instance.removal_conflict': 'Finish the forced removal: fleet instance:destroy INSTANCE --force',
  'instance.checkout_path_unsafe': AS_RECORDED,
  'instance.source_path_mismatch': AS_RECORDED,
  'instance.source_ownership_mismatch': AS_RECORDED,
  'instance.source_layout_mismatch': AS_RECORDED,
  'instance.source_origin_mismatch':
    'In the checkout: git remote set-url origin URL, with the repository that fleet project:show PROJECT shows.',
  'instance.source_branch_mismatch':
    'In the checkout: git switch BRANCH, with the recorded branch, or record the other one: fleet instance:rename INSTANCE --branch BRANCH',
  'instance.source_worktrees_mismatch':
    'In the checkout: git worktree list. Remove or repair the ones that are not recorded: git worktree prune. Then run the same command again.',
  'instance.production_placement_conflict':
    'If nothing in them is needed, as root on the Node: userdel --remove USER, with the user of the details. Then run the same command again. Or choose another name, and give this one up: fleet instance:destroy CLONE',
  'instance.clone_retry_conflict':
    'Run the command with the values of the first request, or choose another name. Only if nobody needs that clone: fleet instance:destroy CLONE. Its account and home stay on the Node; the name is free once they are gone.',
  'instance.clone_candidate_inactive': CANDIDATE,
  'instance.clone_candidate_unavailable': CANDIDATE,
  'instance.clone_candidate_branch_invalid': CANDIDATE,
  'instance.clone_candidate_dirty': `In its checkout: git status. Commit and push, or discard. ${AGAIN}`,
  'instance.clone_candidate_commit_unavailable': `In its checkout: git push. ${AGAIN}`,
  'instance.clone_candidate_release_missing': 'fleet instance:deploy CANDIDATE',
  'instance.clone_candidate_release_changed': CLONE_ANEW,
  'instance.clone_candidate_source_invalid': CANDIDATE,
  'instance.clone_candidate_environment_invalid':
    'details names the rule. Correct the value: fleet env:update CANDIDATE KEY',
  'instance.clone_candidate_changed': CLONE_ANEW,
  'instance.clone_target_branch_missing':
    'Push the branch of the details first, or name one that the origin has: --branch BRANCH. Then run the same command again.',
  'instance.copy_project_mismatch': 'fleet instance:list shows the Instances of each Project.',
  'instance.copy_source_not_development':
    'fleet instance:clone CANDIDATE NODE NAME --preview-name PREVIEW clones to production.',
  'instance.copy_source_layout_invalid':
    'Leave out --source-instance: the new Instance is checked out from the repository.',
  'instance.copy_source_unsafe': 'fleet doctor:run --families instance shows what differs from the record.',
  'instance.copy_source_dirty': 'In its checkout: git status and git stash list show the work.',
  'instance.copy_root_mismatch': 'Leave out --root: the copy has the web root of its source.',
  'instance.copy_branch_diverged': 'Name a branch that does not exist yet: --branch NAME',
  'instance.clone_sqlite_unconfirmed':
    'Name a file in the checkout, or store its path first: fleet env:update INSTANCE DB_DATABASE',
  'sqlite.seed_preflight_failed':
    'details says what the Node found. On it, as the user of the Instance: sqlite3 FILE "pragma integrity_check"',
  'instance.same_node': 'fleet instance:list shows on which Node each Instance is.',
  'instance.standalone_unsupported': `Attach the Node to an active Cluster: fleet cluster:node:attach CLUSTER MEMBER. ${AGAIN}`,
  'instance.destination_exists':
    'Move away what is at details.checkout_path on the destination Node, or name the Instance otherwise there: --name NAME',
  'instance.transfer_retry_conflict': OPEN_TRANSFER,
  'instance.transfer_incomplete': OPEN_TRANSFER,
  'instance.transfer_source_router_unknown': 'Set one first: fleet cluster:router:set CLUSTER ROUTER',
  'env.sync_would_drop_keys':
    'Store each key of the details: fleet env:update INSTANCE KEY. Or take every value of the file, in place of the stored ones too: fleet env:import INSTANCE --replace. Keys that nobody needs: delete their lines from the file.',
  'env.import_conflict': 'Use the values of the file: run the same command with --replace.',
  'env.target_ambiguous': 'fleet instance:list shows the ids.',
  'env.owner_unavailable': SHOW,
  'env.import_source_missing':
    'Create the file in the checkout, or store each value: fleet env:update INSTANCE KEY',
  'env.source_unsafe':
    'details.reason says what is wrong with it. On the Node: ls -l .env in the checkout; it must be a regular file of its user, mode 0600.',
  'env.reference_unavailable':
    'details names the key. Store a value without that placeholder (fleet env:update INSTANCE KEY), or give the Instance a Route: fleet route:create DOMAIN --instance INSTANCE',
} as const satisfies NextSteps
