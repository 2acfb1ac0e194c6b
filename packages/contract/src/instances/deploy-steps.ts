import * as z from 'zod'
import { DEPLOY_STEP_LIMITS, deploymentStep, deployStepPhases } from '../deployments/step-records.ts'
import { operation } from '../operation.ts'
import { instanceId, stepName } from '../params.ts'
import { BASH, stepMembersFor } from '../projects/step-members.ts'

const members = {
  ...stepMembersFor(DEPLOY_STEP_LIMITS),
  phase: z
    .enum(deployStepPhases)
    .optional()
    .describe('When it runs. Default for a new step: before_activation.'),
}
const every = {
  group: 'Deployments',
  access: 'instanceNode',
  output: deploymentStep,
  unknown: { instance: 'instance.not_found' },
} as const

export const instanceDeployStepList = operation({
  ...every,
  name: 'instance:deploy-step:list',
  method: 'GET',
  path: '/instances/{instance}/deploy-steps',
  input: z.strictObject({ instance: instanceId }),
  output: z.array(deploymentStep),
  errors: ['deployment_config.unavailable'],
  summary: 'List the deploy steps of a production Instance',
})

export const instanceDeployStepCreate = operation({
  ...every,
  name: 'instance:deploy-step:create',
  method: 'POST',
  path: '/instances/{instance}/deploy-steps',
  input: z.strictObject({
    instance: instanceId,
    name: stepName.describe('Name of the new step.'),
    ...members,
    command: members.command.unwrap().describe('Shell command.'),
  }),
  creates: true,
  errors: ['deployment_config.unavailable', 'deploy_step.name_taken', 'deploy_step.not_found'],
  summary: 'Add a deploy step: a command that each deployment of a production Instance runs',
  description:
    'Runs as the production user in the root of the new release, before or after it is activated. A step beside another one must be of its phase. ' +
    BASH,
  positional: ['instance', 'name', 'command'],
})

export const instanceDeployStepUpdate = operation({
  ...every,
  name: 'instance:deploy-step:update',
  method: 'PATCH',
  path: '/instances/{instance}/deploy-steps/{step}',
  input: z.strictObject({ instance: instanceId, step: stepName.describe('Name of the step.'), ...members }),
  errors: ['deployment_config.unavailable', 'deploy_step.not_found'],
  unnamed: { step: 'deploy_step.not_found' },
  summary: 'Change or move a deploy step of a production Instance',
})

export const instanceDeployStepDestroy = operation({
  ...every,
  name: 'instance:deploy-step:destroy',
  method: 'DELETE',
  path: '/instances/{instance}/deploy-steps/{step}',
  input: z.strictObject({ instance: instanceId, step: stepName.describe('Name of the step.') }),
  errors: ['deployment_config.unavailable', 'deploy_step.not_found'],
  unnamed: { step: 'deploy_step.not_found' },
  summary: 'Remove a deploy step of a production Instance',
})
