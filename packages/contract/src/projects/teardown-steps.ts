import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, stepName } from '../params.ts'
import { lifecycleStep } from './records.ts'
import { stepMembers } from './step-members.ts'

const unknown = { project: 'project.not_found', step: 'lifecycle_step.not_found' } as const

export const projectTeardownStepList = operation({
  name: 'project:teardown-step:list',
  group: 'Projects',
  method: 'GET',
  path: '/projects/{project}/teardown-steps',
  access: 'projectNode',
  input: z.strictObject({ project: id }),
  output: z.array(lifecycleStep),
  unknown: { project: unknown.project },
  summary: 'List the commands that run before an Instance is removed',
})

export const projectTeardownStepCreate = operation({
  name: 'project:teardown-step:create',
  group: 'Projects',
  method: 'POST',
  path: '/projects/{project}/teardown-steps',
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
  summary: 'Add a command that runs before an Instance is removed',
  positional: ['project', 'name', 'command'],
})

export const projectTeardownStepUpdate = operation({
  name: 'project:teardown-step:update',
  group: 'Projects',
  method: 'PATCH',
  path: '/projects/{project}/teardown-steps/{step}',
  access: 'projectNode',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.'), ...stepMembers }),
  output: lifecycleStep,
  errors: ['lifecycle_step.not_found'],
  unknown,
  summary: 'Change or move a teardown step',
})

export const projectTeardownStepDestroy = operation({
  name: 'project:teardown-step:destroy',
  group: 'Projects',
  method: 'DELETE',
  path: '/projects/{project}/teardown-steps/{step}',
  access: 'projectNode',
  input: z.strictObject({ project: id, step: stepName.describe('Name of the step.') }),
  output: lifecycleStep,
  unknown,
  summary: 'Remove a teardown step',
})
