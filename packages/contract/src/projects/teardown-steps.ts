import { operation } from '../operation.ts'
import { stepOperations } from './step-operations.ts'

export const projectTeardownStepList = operation({
  ...stepOperations.list,
  name: 'project:teardown-step:list',
  path: '/projects/{project}/teardown-steps',
  summary: 'List the teardown steps: commands that run before an Instance is removed',
})

export const projectTeardownStepCreate = operation({
  ...stepOperations.create,
  name: 'project:teardown-step:create',
  path: '/projects/{project}/teardown-steps',
  summary: 'Add a teardown step: a command that runs before an Instance is removed',
})

export const projectTeardownStepUpdate = operation({
  ...stepOperations.update,
  name: 'project:teardown-step:update',
  path: '/projects/{project}/teardown-steps/{step}',
  summary: 'Change or move a teardown step',
})

export const projectTeardownStepDestroy = operation({
  ...stepOperations.destroy,
  name: 'project:teardown-step:destroy',
  path: '/projects/{project}/teardown-steps/{step}',
  summary: 'Remove a teardown step',
})
