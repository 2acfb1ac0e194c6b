import type { ErrorSpec } from '@fleet/kernel'

export const instanceErrors = {
  'instance.not_found': { status: 404, message: 'No Instance has this id or domain.', retry: 'change' },
  'instance.directory_not_found': {
    status: 404,
    message: 'No Instance of the calling Node holds this directory.',
    retry: 'change',
  },
  'instance.node_inactive': { status: 409, message: 'The Node is not active.', retry: 'none' },
  'instance.node_not_app_dev': {
    status: 409,
    message: 'The Node has no active app-dev role.',
    retry: 'none',
  },
  'instance.node_excluded': {
    status: 409,
    message: 'The Node is excluded from development of this Project.',
    retry: 'none',
  },
  'instance.candidate_required': {
    status: 409,
    message: 'A Node with the app-prod role takes clones of a candidate only.',
    retry: 'none',
  },
  'instance.route_unavailable': {
    status: 409,
    message: 'This Instance needs a Route, and this gateway does not serve Routes.',
    retry: 'none',
  },
  'instance.path_taken': {
    status: 409,
    message: 'Something that is not of this attempt stands at the checkout path.',
    retry: 'none',
  },
  'instance.default_path_occupied': {
    status: 409,
    message: 'Something that is not of this attempt stands at the checkout path of the default Instance.',
    retry: 'none',
  },
  'instance.placement_unavailable': {
    status: 409,
    message: 'The Node has not exactly one active application role.',
    retry: 'none',
  },
  'instance.placement_conflict': {
    status: 409,
    message: 'The name is in use in this Project with other values.',
    retry: 'change',
  },
  'instance.ports_exhausted': {
    status: 409,
    message: 'The Node has no development port left.',
    retry: 'none',
  },
  'instance.branch_resolution_failed': {
    status: 409,
    message: 'The branch cannot be resolved in the repository.',
    retry: 'change',
  },
  'instance.source_failed': {
    status: 502,
    message: 'The source could not be brought onto the Node.',
    retry: 'wait',
  },
  'instance.source_profile_missing': {
    status: 409,
    message: 'The source of the Instance has not been examined yet.',
    retry: 'repeat',
  },
  'instance.lifecycle_busy': {
    status: 409,
    message: 'Another operation on this Instance is under way.',
    retry: 'wait',
  },
  'instance.lifecycle_conflict': {
    status: 409,
    message: 'The Instance is in a state that does not allow this.',
    retry: 'none',
  },
  'instance.setup_unavailable': {
    status: 409,
    message: 'Setup runs on active development Instances only.',
    retry: 'none',
  },
  'instance.setup_step_failed': { status: 502, message: 'A setup step failed.', retry: 'change' },
  'instance.setup_step_unavailable': {
    status: 502,
    message: 'A setup step names a program that the Node cannot run.',
    retry: 'change',
  },
  'instance.teardown_step_failed': { status: 502, message: 'A teardown step failed.', retry: 'change' },
  'instance.teardown_step_unavailable': {
    status: 502,
    message: 'A teardown step names a program that the Node cannot run.',
    retry: 'change',
  },
  'instance.remove_refused': {
    status: 409,
    message: 'The source holds work that only it has. Force the removal to give it up.',
    retry: 'change',
  },
  'instance.removal_conflict': {
    status: 409,
    message: 'A forced removal is under way and cannot become a normal one.',
    retry: 'change',
  },
  'instance.removal_failed': {
    status: 502,
    message: 'The removal stopped at a step. Repeat the request to go on from there.',
    retry: 'repeat',
  },
  'instance.force_failed': {
    status: 502,
    message: 'The forced removal stopped at a step. Repeat the request to go on from there.',
    retry: 'repeat',
  },
  'instance.checkout_path_unsafe': {
    status: 409,
    message: 'The recorded checkout path leads somewhere else on the Node.',
    retry: 'none',
  },
  'instance.source_path_mismatch': {
    status: 409,
    message: 'The recorded path holds no checkout of this Instance.',
    retry: 'none',
  },
  'instance.source_ownership_mismatch': {
    status: 409,
    message: 'The directory is not the one this Instance made.',
    retry: 'none',
  },
  'instance.source_layout_mismatch': {
    status: 409,
    message: 'The source has another layout than recorded.',
    retry: 'none',
  },
  'instance.source_origin_mismatch': {
    status: 409,
    message: 'The source has another origin than the Project.',
    retry: 'none',
  },
  'instance.source_branch_mismatch': {
    status: 409,
    message: 'The source is on another branch than recorded.',
    retry: 'none',
  },
  'instance.source_worktrees_mismatch': {
    status: 409,
    message: 'The linked worktrees differ from the recorded ones.',
    retry: 'none',
  },
  'app-dev.laravel_source_invalid': {
    status: 409,
    message: 'The source looks like Laravel, but its composer.json does not declare it exactly once.',
    retry: 'change',
  },
  'app-dev.symfony_source_invalid': {
    status: 409,
    message: 'The source looks like Symfony, but its composer.json does not declare it.',
    retry: 'change',
  },
  'app-dev.source_metadata_unsafe': {
    status: 409,
    message: 'A file that tells the kind of source is no regular file or too large.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
