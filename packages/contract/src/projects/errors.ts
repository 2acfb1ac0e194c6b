import type { ErrorSpec } from '@fleet/kernel'

export const projectErrors = {
  'project.not_found': { status: 404, message: 'No Project has this id.', retry: 'change' },
  'project.identity_conflict': {
    status: 409,
    message: 'A Project with this slug already exists with different values.',
    retry: 'change',
  },
  'project.repository_identity_conflict': {
    status: 409,
    message: 'Another Project already has this repository.',
    retry: 'change',
  },
  'project.default_branch_unavailable': {
    status: 409,
    message: 'The repository cannot be read, or it does not have this branch.',
    retry: 'change',
  },
  'project.deploy_key_missing': {
    status: 404,
    message: 'The Project has no deploy key. Make one with `fleet project:deploy-key:create PROJECT`.',
    retry: 'none',
  },
  'project.deploy_key_needs_ssh': {
    status: 409,
    message:
      'A deploy key logs in over SSH, and this repository URL is not an SSH URL. Name that of the same repository: `fleet project:deploy-key:create PROJECT --repository-url git@HOST:PATH`.',
    retry: 'none',
  },
  'project.deploy_key_pending': {
    status: 409,
    message:
      'The Git host does not accept the deploy key yet. Add `details.public_key` to the repository as a deploy key with read access, then repeat the request.',
    retry: 'repeat',
  },
  'github.cli_unauthenticated': {
    status: 409,
    message: 'The GitHub CLI (`gh`) on the gateway is not logged in.',
    retry: 'none',
  },
  'project.slug_conflict': { status: 409, message: 'Another Project has this slug.', retry: 'change' },
  'project.update_required': {
    status: 422,
    message: 'The request must contain at least one member to change.',
    retry: 'change',
  },
  'project.update_in_progress': {
    status: 409,
    message:
      'An update of this Project has not finished. Repeat the request that began it: `details.request` has its members.',
    retry: 'none',
  },
  'project.repository_preflight_failed': {
    status: 409,
    message:
      'A checkout of the Project cannot follow it to another repository. Nothing was changed; `details` names the Instance and the reason.',
    retry: 'none',
  },
  'project.repository_origin_failed': {
    status: 502,
    message: 'The `origin` of a checkout could not be changed. `details` names the Instance.',
    retry: 'repeat',
  },
  'project.repository_unowned_common': {
    status: 409,
    message:
      'A checkout shares its Git directory with one that does not belong to an Instance of this Project, which would get another `origin` too. Nothing was changed.',
    retry: 'none',
  },
  'project.source_switch_failed': {
    status: 409,
    message:
      'The checkout of the `default` Instance cannot switch to the branch. `details` names the reason; commit, stash or push what is there, then repeat the request.',
    retry: 'none',
  },
  'project.production_ownership_changed': {
    status: 409,
    message:
      'A production Instance of the Project changed while the update ran. Check the Instances in `details`; the identical request then finishes the update.',
    retry: 'repeat',
  },
  'project.update_failed': {
    status: 502,
    message: 'The update of the Project failed and was rolled back.',
    retry: 'repeat',
  },
  'project.invalid_code': { status: 422, message: 'A code must be three capital letters.', retry: 'change' },
  'project.code_conflict': { status: 409, message: 'Another Project has this code.', retry: 'change' },
  'project.codes_exhausted': {
    status: 409,
    message: 'No free code can be derived from the slug. Specify a code.',
    retry: 'change',
  },
  'project.code_update_separate': {
    status: 422,
    message: 'The code must be changed in a separate request.',
    retry: 'change',
  },
  'project.has_instances': { status: 409, message: 'The Project still has Instances.', retry: 'none' },
  'project.has_routes': {
    status: 409,
    message:
      'The Project still has Routes. `details` names them; destroy each (`fleet route:destroy ID`), then repeat the request.',
    retry: 'none',
  },
  'project.source_defaults_incomplete': {
    status: 409,
    message: 'The Project has no default branch or no root.',
    retry: 'none',
  },
  'project.lifecycle_busy': {
    status: 409,
    message: 'Another operation is changing this Project.',
    retry: 'wait',
  },
  'project.excluded_node_not_app_dev': {
    status: 422,
    message: 'The Node has no active app-dev role.',
    retry: 'none',
  },
  'project.excluded_node_missing': {
    status: 404,
    message: 'The Node is not excluded from this Project.',
    retry: 'none',
  },
  'project_definition.not_found': {
    status: 404,
    message: 'The Project has no definition of this name.',
    retry: 'change',
  },
  'project_definition.name_taken': {
    status: 409,
    message:
      'The Project already has another definition of this name. Replace it (`fleet project:process-definition:update`, `fleet project:schedule-definition:update`), or choose another name.',
    retry: 'change',
  },
  'lifecycle_step.not_found': { status: 404, message: 'The list has no step of this name.', retry: 'change' },
  'lifecycle_step.name_taken': {
    status: 409,
    message: 'The list already has a step of this name.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
