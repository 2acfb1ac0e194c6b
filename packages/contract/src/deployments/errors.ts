import type { ErrorSpec } from '@fleet/kernel'

export const deploymentErrors = {
  'deployment_config.unavailable': {
    status: 409,
    message:
      'Only production Instances have releases, deploy steps and a deployment branch. Of the development Instances of a Project only `default` is deployed, in its checkout.',
    retry: 'none',
  },
  'deploy_step.name_taken': {
    status: 409,
    message: 'The list already has a step of this name with other values.',
    retry: 'change',
  },
  'deploy_step.not_found': { status: 404, message: 'The list has no step of this name.', retry: 'change' },
  'deployment.not_found': { status: 404, message: 'No deployment has this id.', retry: 'change' },
  'deployment.operation_busy': {
    status: 409,
    message: 'Another operation on this Instance is in progress.',
    retry: 'wait',
  },
  'deployment.releases_unreadable': {
    status: 502,
    message: 'The releases in the production home could not be read.',
    retry: 'repeat',
  },
  'deployment.release_failed': {
    status: 502,
    message:
      'The new release could not be prepared in the production home. The previous one is still selected.',
    retry: 'repeat',
  },
  'deployment.environment_link_failed': {
    status: 502,
    message: 'The `.env` file could not be linked into the new release. The previous one is still selected.',
    retry: 'change',
  },
  'deployment.source_dirty': {
    status: 409,
    message:
      'Somebody works in the checkout, and a deployment overwrites nothing of it. What is in its way is in the output of the deployment.',
    retry: 'change',
  },
  'deployment.step_failed': {
    status: 502,
    message: 'A deploy step failed. What it printed is in the output of the deployment.',
    retry: 'change',
  },
  'deployment.step_timeout': {
    status: 502,
    message: 'A deploy step did not finish within its time limit and was ended.',
    retry: 'change',
  },
  'deployment.health_failed': {
    status: 502,
    message:
      'The new release did not answer its health request with a status of 2xx. The previous one is still selected. What it answered is in the output of the deployment.',
    retry: 'change',
  },
  'deployment.health_unavailable': {
    status: 409,
    message:
      'A health request needs a production Instance with PHP and a Route: only PHP can answer for a release that is not selected yet.',
    retry: 'change',
  },
  'deployment.step_unavailable': {
    status: 502,
    message: 'A deploy step names a program that the Node cannot run.',
    retry: 'change',
  },
  'deployment.activation_failed': {
    status: 502,
    message: 'The link `current` could not be moved to the release.',
    retry: 'repeat',
  },
  'deployment.deadline_exceeded': {
    status: 504,
    message: 'The deployment did not finish within the time of a request.',
    retry: 'change',
  },
  'deployment.cancelled': {
    status: 409,
    message: 'The connection of the caller was closed, which cancels a deployment.',
    retry: 'repeat',
  },
  'deployment.interrupted': {
    status: 502,
    message:
      'The gateway stopped during the deployment. The selected release is the one that the Node serves.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
