import type { ErrorSpec } from '@fleet/kernel'

export const instanceErrors = {
  'instance.not_found': { status: 404, message: 'No Instance has this id or domain.', retry: 'change' },
  'instance.project_missing': {
    status: 409,
    message:
      'No Project has the repository of this checkout. Create it with `fleet project:create`, or name the Project.',
    retry: 'change',
  },
  'instance.identity_conflict': {
    status: 409,
    message: 'The directory or the name belongs to another Instance.',
    retry: 'change',
  },
  'instance.name_invalid': {
    status: 422,
    message:
      'An Instance is named as given, or else after its directory, and `details.name` is no valid name: use at most 63 lowercase letters, digits and hyphens, and no hyphen at an end. A linked worktree cannot be `default`.',
    retry: 'change',
  },
  'instance.source_changed': {
    status: 409,
    message: 'The directory changed while it was copied. Stop what writes to it and repeat the request.',
    retry: 'repeat',
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
    message: 'A Node with the app-prod role accepts only clones of a candidate.',
    retry: 'none',
  },
  'instance.path_taken': {
    status: 409,
    message: 'The checkout path is already in use by something this operation did not create.',
    retry: 'none',
  },
  'instance.default_path_occupied': {
    status: 409,
    message:
      'The checkout path of the default Instance is already in use by something this operation did not create.',
    retry: 'none',
  },
  'instance.placement_unavailable': {
    status: 409,
    message: 'The Node needs exactly one active application role.',
    retry: 'none',
  },
  'instance.placement_conflict': {
    status: 409,
    message: 'The name is in use in this Project with other values.',
    retry: 'change',
  },
  'instance.ports_exhausted': {
    status: 409,
    message: 'The Node has no free development port.',
    retry: 'none',
  },
  'instance.branch_resolution_failed': {
    status: 409,
    message: 'The repository cannot be read, or it does not have this branch.',
    retry: 'change',
  },
  'instance.source_failed': {
    status: 502,
    message: 'The source could not be checked out on the Node.',
    retry: 'wait',
  },
  'instance.source_profile_missing': {
    status: 409,
    message: 'The source of the Instance has not been examined yet.',
    retry: 'repeat',
  },
  'instance.lifecycle_busy': {
    status: 409,
    message: 'Another operation on this Instance is in progress.',
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
  'instance.rename_unavailable': {
    status: 409,
    message: 'Only an active development Instance with a checkout of its own can be renamed.',
    retry: 'none',
  },
  'instance.branch_not_checked_out': {
    status: 409,
    message:
      'The branch is not checked out in the Instance. Check it out there with `git switch`, then repeat the request.',
    retry: 'change',
  },
  'instance.route_required': {
    status: 409,
    message:
      'The Instance has no Route of its own that leads to it alone, so it has no domain to change. Create one with `fleet route:create`.',
    retry: 'change',
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
    message: 'The checkout contains work that exists nowhere else. Force the removal to discard it.',
    retry: 'change',
  },
  'instance.removal_conflict': {
    status: 409,
    message: 'A forced removal is in progress and cannot become a normal one.',
    retry: 'change',
  },
  'instance.removal_failed': {
    status: 502,
    message: 'A step of the removal failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'instance.force_failed': {
    status: 502,
    message: 'A step of the forced removal failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
  'instance.checkout_path_unsafe': {
    status: 409,
    message: 'The recorded checkout path resolves to another directory on the Node.',
    retry: 'none',
  },
  'instance.source_path_mismatch': {
    status: 409,
    message: 'There is no checkout of this Instance at the recorded path.',
    retry: 'none',
  },
  'instance.source_ownership_mismatch': {
    status: 409,
    message: 'The directory at the checkout path was not created by this Instance.',
    retry: 'none',
  },
  'instance.source_layout_mismatch': {
    status: 409,
    message: 'The layout of the checkout differs from the record.',
    retry: 'none',
  },
  'instance.source_origin_mismatch': {
    status: 409,
    message: 'The Git origin of the checkout is not the repository of the Project.',
    retry: 'none',
  },
  'instance.database_clone_unsupported': {
    status: 422,
    message:
      'The database of the Instance `default` cannot be copied. Name a database server for a new one: `--database-server SLUG`.',
    retry: 'change',
  },
  'instance.database_clone_failed': {
    status: 502,
    message:
      'The database of the Instance `default` could not be copied. The copy was dropped and the Instance removed; create it again.',
    retry: 'repeat',
  },
  'instance.source_branch_mismatch': {
    status: 409,
    message: 'The checkout is on a different branch from the recorded one.',
    retry: 'none',
  },
  'instance.source_worktrees_mismatch': {
    status: 409,
    message: 'The linked worktrees of the checkout differ from the record.',
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
  'app-dev.laravel_url_configuration_failed': {
    status: 502,
    message:
      'The first `.env` of the Laravel application, with its `APP_URL`, could not be written to the Node. Nothing of the attempt stays. Look after the disk of the Node, then run the same command again.',
    retry: 'repeat',
  },
  'app-dev.source_metadata_unsafe': {
    status: 409,
    message: 'A file that identifies the kind of source is too large or is not a regular file.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
