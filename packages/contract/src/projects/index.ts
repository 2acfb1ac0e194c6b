import { projectCreate } from './create.ts'
import { projectDestroy } from './destroy.ts'
import * as excludedNodes from './excluded-nodes.ts'
import { projectList } from './list.ts'
import * as setupSteps from './setup-steps.ts'
import { projectShow } from './show.ts'
import * as teardownSteps from './teardown-steps.ts'
import { projectUpdate } from './update.ts'

export * from './records.ts'
export const projectOperations = {
  projectList,
  projectShow,
  projectCreate,
  projectUpdate,
  projectDestroy,
  ...setupSteps,
  ...teardownSteps,
  ...excludedNodes,
}
