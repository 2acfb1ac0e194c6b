import type { ErrorSpec } from '@fleet/kernel'

/** What stops a copy of an Instance on its Node (INS-073). */
export const copyErrors = {
  'instance.copy_source_missing': {
    status: 404,
    message: 'No Instance has the id of the source. List them with `fleet instance:list`.',
    retry: 'change',
  },
  'instance.copy_project_mismatch': {
    status: 409,
    message: 'The source is an Instance of another Project.',
    retry: 'change',
  },
  'instance.copy_node_mismatch': {
    status: 409,
    message:
      'The source is on another Node. Name its Node, or move the copy later: `fleet instance:transfer`.',
    retry: 'change',
  },
  'instance.copy_source_not_development': {
    status: 409,
    message: 'The source is a production Instance. Only development Instances are copied.',
    retry: 'change',
  },
  'instance.copy_source_inactive': {
    status: 409,
    message: 'The source is not active, or it is being moved to another Node.',
    retry: 'wait',
  },
  'instance.copy_source_cold': {
    status: 409,
    message:
      'The dependencies of the source were removed while nobody used it. Visit its site to install them, then repeat the request.',
    retry: 'repeat',
  },
  'instance.copy_source_layout_invalid': {
    status: 409,
    message:
      'The checkout of the source needs something outside of it: it is a linked worktree, has linked worktrees, or borrows objects of another repository.',
    retry: 'none',
  },
  'instance.copy_source_unsafe': {
    status: 409,
    message:
      'The directory of the source is not the checkout that Fleet created, or follows another repository.',
    retry: 'none',
  },
  'instance.copy_source_branch_invalid': {
    status: 409,
    message:
      'The checkout of the source is not on its recorded branch. Check that out with `git switch`, or record the other one: `fleet instance:rename`.',
    retry: 'change',
  },
  'instance.copy_source_dirty': {
    status: 409,
    message:
      'The checkout of the source has uncommitted work or stashes. Commit the work first, or take it out of the checkout.',
    retry: 'change',
  },
  'instance.copy_root_mismatch': {
    status: 409,
    message: 'The source has another web root than the one requested for the copy.',
    retry: 'change',
  },
  'instance.copy_branch_diverged': {
    status: 409,
    message:
      'The branch of the copy exists, and its commits and those of the source have parted. Name another branch, or merge one into the other first.',
    retry: 'change',
  },
  'instance.copy_source_changed': {
    status: 409,
    message: 'The source changed while it was copied. Repeat the request when nobody commits there.',
    retry: 'repeat',
  },
  'instance.copy_failed': {
    status: 409,
    message: 'The source could not be copied. What was copied was removed again.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

export const copyErrorCodes = Object.keys(copyErrors) as readonly (keyof typeof copyErrors)[] // The keys of a literal.
