import type { ErrorSpec } from '@fleet/kernel'

export const projectErrors = {
  'project.not_found': { status: 404, message: 'No Project has this id.', retry: 'change' },
  'project.identity_conflict': {
    status: 409,
    message: 'A Project with this slug exists with other values.',
    retry: 'change',
  },
  'project.repository_identity_conflict': {
    status: 409,
    message: 'Another Project already has this repository.',
    retry: 'change',
  },
  'project.default_branch_unavailable': {
    status: 409,
    message: 'The remote cannot be read, or it lacks the branch.',
    retry: 'change',
  },
  'github.cli_unauthenticated': {
    status: 409,
    message: 'The GitHub command line on the gateway has no usable login.',
    retry: 'none',
  },
  'project.slug_conflict': { status: 409, message: 'Another Project has this slug.', retry: 'change' },
  'project.update_required': { status: 422, message: 'Name at least one member to change.', retry: 'change' },
  'project.update_unavailable': {
    status: 409,
    message: 'This member can change only while the Project has no Instances.',
    retry: 'none',
  },
  'project.invalid_code': { status: 422, message: 'A code is three capital letters.', retry: 'change' },
  'project.code_conflict': { status: 409, message: 'Another Project has this code.', retry: 'change' },
  'project.codes_exhausted': {
    status: 409,
    message: 'No free code can be derived from the slug. Send one.',
    retry: 'change',
  },
  'project.code_update_separate': {
    status: 422,
    message: 'Change the code in a request of its own.',
    retry: 'change',
  },
  'project.has_instances': { status: 409, message: 'The Project still has Instances.', retry: 'none' },
  'project.source_defaults_incomplete': {
    status: 409,
    message: 'The Project lacks a default branch or a root.',
    retry: 'none',
  },
  'project.lifecycle_busy': { status: 409, message: 'Another operation holds this Project.', retry: 'wait' },
  'project.excluded_node_not_app_dev': {
    status: 422,
    message: 'The Node has no active app-dev role.',
    retry: 'none',
  },
  'project.excluded_node_missing': {
    status: 404,
    message: 'The Project and the Node are not an excluded pair.',
    retry: 'none',
  },
  'lifecycle_step.not_found': { status: 404, message: 'The list has no step of this name.', retry: 'change' },
  'lifecycle_step.name_taken': {
    status: 409,
    message: 'The list has another step of this name.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
