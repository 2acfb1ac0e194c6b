import type { ErrorSpec } from '@fleet/kernel'

export const cloneErrors = {
  'instance.node_not_app_prod': {
    status: 409,
    message: 'The Node has no active app-prod role.',
    retry: 'none',
  },
  'instance.production_placement_conflict': {
    status: 409,
    message:
      'The Unix user or the home of the clone already exists on the Node. Choose another name, or remove both there if nothing in them is needed.',
    retry: 'change',
  },
  'instance.clone_retry_conflict': {
    status: 409,
    message: 'The name belongs to a clone that was requested with other values.',
    retry: 'change',
  },
  'instance.clone_in_progress': {
    status: 409,
    message: 'The Instance is being cloned. Finish the clone or remove it first.',
    retry: 'wait',
  },
  'instance.clone_candidate_inactive': {
    status: 409,
    message: 'The candidate is not active.',
    retry: 'none',
  },
  'instance.clone_candidate_unavailable': {
    status: 409,
    message: 'The Node of the candidate is not active, or the checkout is missing there.',
    retry: 'none',
  },
  'instance.clone_candidate_branch_invalid': {
    status: 409,
    message: 'The checkout of the candidate is not on its recorded branch.',
    retry: 'none',
  },
  'instance.clone_candidate_dirty': {
    status: 409,
    message: 'The checkout of the candidate has uncommitted work.',
    retry: 'none',
  },
  'instance.clone_candidate_commit_unavailable': {
    status: 409,
    message: 'The commit that the candidate is on is on no branch or tag of the origin. Push it first.',
    retry: 'none',
  },
  'instance.clone_candidate_repository_unavailable': {
    status: 502,
    message: 'The origin of the candidate could not be reached from its Node.',
    retry: 'wait',
  },
  'instance.clone_candidate_release_missing': {
    status: 409,
    message: 'The candidate has no selected release. Deploy it first.',
    retry: 'none',
  },
  'instance.clone_candidate_release_changed': {
    status: 409,
    message:
      'The candidate was deployed after this clone began. Remove the unfinished clone and clone again.',
    retry: 'change',
  },
  'instance.clone_candidate_source_invalid': {
    status: 409,
    message: 'The checkout of the candidate is not the recorded one.',
    retry: 'none',
  },
  'instance.clone_candidate_environment_invalid': {
    status: 409,
    message: 'The stored environment of the candidate cannot be read.',
    retry: 'none',
  },
  'instance.clone_candidate_changed': {
    status: 409,
    message: 'The candidate changed after this clone began. Remove the unfinished clone and clone again.',
    retry: 'change',
  },
  'instance.clone_target_branch_missing': {
    status: 409,
    message: 'The origin has no branch of this name.',
    retry: 'change',
  },
  'instance.clone_failed': {
    status: 502,
    message: 'A step of the clone failed. Repeat the request to resume there.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
