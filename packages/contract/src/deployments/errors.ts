import type { ErrorSpec } from '@fleet/kernel'

export const deploymentErrors = {
  'deployment_config.unavailable': {
    status: 409,
    message: 'Only production Instances have deploy steps and a deployment branch.',
    retry: 'none',
  },
  'deploy_step.name_taken': {
    status: 409,
    message: 'The list already has a step of this name with other values.',
    retry: 'change',
  },
  'deploy_step.not_found': { status: 404, message: 'The list has no step of this name.', retry: 'change' },
} as const satisfies Record<string, ErrorSpec>
