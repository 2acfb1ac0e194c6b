import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, stepName } from '../params.ts'
import { lifecycleStep } from './records.ts'
import { stepMembers } from './step-members.ts'

const unknown = { project: 'project.not_found', step: 'lifecycle_step.not_found' } as const

export const projectSetupStepList = operation({
  name: 'project:setup-step:list',
  group: 'Projects',
  method: 'GET',
  path: '/projects/{project}/setup-steps',
  access: 'projectNode',
  input: z.strictObject({ project: id }),
  output: z.array(lifecycleStep),
  unknown: { project: unknown.project },
  summary: 'List the commands that run after an Instance is made',
})

export const projectSetupStepCreate = operation({
  name: 'project:setup-step:create',
  group: 'Projects',
  method: 'POST',
  path: '/projects/{project}/setup-steps',
  access: 'projectNode',
  input: z.strictObject({
    project: id,
    name: stepName.describe('Name of the new step.'),
    ...stepMembers,
    command: stepMembers.command.unwrap().describe('Shell command.'),
  }),
  output: lifecycleStep,
  creates: true,
  errors: ['lifecycle_step.name_taken', 'lifecycle_step.not_found'],
  unknown: { project: unknown.project },
  summary: 'Add a command that runs after an Instance is made',
  positional: ['project', 'name', 'command'],
})

export const projectSetupStepUpdate = operation({
  name: 'project:setup-step:update',
  group: 'Projects',
  method: 'PATCH',
  path: '/projects/{project}/setup-steps/{step}',
  access: 'projectNode',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.'), ...stepMembers }),
  output: lifecycleStep,
  errors: ['lifecycle_step.not_found'],
  unknown,
  summary: 'Change or move a setup step',
})

export const projectSetupStepDestroy = operation({
  name: 'project:setup-step:destroy',
  group: 'Projects',
  method: 'DELETE',
  path: '/projects/{project}/setup-steps/{step}',
  access: 'projectNode',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.') }),
  output: lifecycleStep,
  unknown,
  summary: 'Remove a setup step',
})
