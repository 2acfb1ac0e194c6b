import * as z from 'zod'
import { DEPLOY_STEP_LIMITS, developmentDeployStep } from '../deployments/step-records.ts'
import { operation } from '../operation.ts'
import { id, stepName } from '../params.ts'
import { BASH, stepMembersFor } from './step-members.ts'

const members = {
  ...stepMembersFor(DEPLOY_STEP_LIMITS),
  required: z
    .boolean()
    .optional()
    .describe('False: a deployment succeeds although the step fails. Default for a new step: true.'),
}
const every = { group: 'Projects', access: 'projectNode', output: developmentDeployStep } as const
const unknown = { project: 'project.not_found', step: 'deploy_step.not_found' } as const

export const projectDevDeployStepList = operation({
  ...every,
  name: 'project:dev-deploy-step:list',
  method: 'GET',
  path: '/projects/{project}/dev-deploy-steps',
  input: z.strictObject({ project: id }),
  output: z.array(developmentDeployStep),
  unknown: { project: unknown.project },
  summary: 'List the deploy steps of a Project for development',
})

export const projectDevDeployStepCreate = operation({
  ...every,
  name: 'project:dev-deploy-step:create',
  method: 'POST',
  path: '/projects/{project}/dev-deploy-steps',
  input: z.strictObject({
    project: id,
    name: stepName.describe('Name of the new step.'),
    ...members,
    command: members.command.unwrap().describe('Shell command.'),
  }),
  creates: true,
  errors: ['deploy_step.name_taken', 'deploy_step.not_found'],
  unknown: { project: unknown.project },
  summary: 'Add a deploy step for development: a command that a deployment of the default Instance runs',
  description: `Runs as the user of the Node in the root of the checkout. ${BASH}`,
  positional: ['project', 'name', 'command'],
})

export const projectDevDeployStepUpdate = operation({
  ...every,
  name: 'project:dev-deploy-step:update',
  method: 'PATCH',
  path: '/projects/{project}/dev-deploy-steps/{step}',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.'), ...members }),
  errors: ['deploy_step.not_found'],
  unknown,
  summary: 'Change or move a deploy step for development',
})

export const projectDevDeployStepDestroy = operation({
  ...every,
  name: 'project:dev-deploy-step:destroy',
  method: 'DELETE',
  path: '/projects/{project}/dev-deploy-steps/{step}',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.') }),
  unknown,
  summary: 'Remove a deploy step for development',
})
