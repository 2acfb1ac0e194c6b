import { operation } from '../operation.ts'
import { stepOperations } from './step-operations.ts'

export const projectSetupStepList = operation({
  ...stepOperations.list,
  name: 'project:setup-step:list',
  path: '/projects/{project}/setup-steps',
  summary: 'List the setup steps: commands that run after an Instance is created',
})

export const projectSetupStepCreate = operation({
  ...stepOperations.create,
  name: 'project:setup-step:create',
  path: '/projects/{project}/setup-steps',
  summary: 'Add a setup step: a command that runs after an Instance is created',
})

export const projectSetupStepUpdate = operation({
  ...stepOperations.update,
  name: 'project:setup-step:update',
  path: '/projects/{project}/setup-steps/{step}',
  summary: 'Change or move a setup step',
})

export const projectSetupStepDestroy = operation({
  ...stepOperations.destroy,
  name: 'project:setup-step:destroy',
  path: '/projects/{project}/setup-steps/{step}',
  summary: 'Remove a setup step',
})
