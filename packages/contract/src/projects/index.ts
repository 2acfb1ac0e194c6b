import { projectCreate } from './create.ts'
import * as deployKeys from './deploy-keys.ts'
import { projectDestroy } from './destroy.ts'
import * as devDeploySteps from './dev-deploy-steps.ts'
import * as excludedNodes from './excluded-nodes.ts'
import { projectList } from './list.ts'
import * as processDefinitions from './process-definitions.ts'
import * as scheduleDefinitions from './schedule-definitions.ts'
import * as setupSteps from './setup-steps.ts'
import { projectShow } from './show.ts'
import * as teardownSteps from './teardown-steps.ts'
import { projectUpdate } from './update.ts'

export { processDefinition, type ProcessDefinitionData } from './process-definitions.ts'
export * from './records.ts'
export * from './update-states.ts'
export { deployKey, type DeployKeyData } from './deploy-keys.ts'
export { scheduleDefinition, type ScheduleDefinitionData } from './schedule-definitions.ts'
export const projectOperations = {
  projectList,
  projectShow,
  projectCreate,
  projectUpdate,
  projectDestroy,
  ...setupSteps,
  ...teardownSteps,
  ...devDeploySteps,
  ...excludedNodes,
  projectDeployKeyShow: deployKeys.projectDeployKeyShow,
  projectDeployKeyCreate: deployKeys.projectDeployKeyCreate,
  projectDeployKeyDestroy: deployKeys.projectDeployKeyDestroy,
  projectProcessDefinitionList: processDefinitions.projectProcessDefinitionList,
  projectProcessDefinitionCreate: processDefinitions.projectProcessDefinitionCreate,
  projectProcessDefinitionShow: processDefinitions.projectProcessDefinitionShow,
  projectProcessDefinitionUpdate: processDefinitions.projectProcessDefinitionUpdate,
  projectProcessDefinitionDestroy: processDefinitions.projectProcessDefinitionDestroy,
  projectScheduleDefinitionList: scheduleDefinitions.projectScheduleDefinitionList,
  projectScheduleDefinitionCreate: scheduleDefinitions.projectScheduleDefinitionCreate,
  projectScheduleDefinitionShow: scheduleDefinitions.projectScheduleDefinitionShow,
  projectScheduleDefinitionUpdate: scheduleDefinitions.projectScheduleDefinitionUpdate,
  projectScheduleDefinitionDestroy: scheduleDefinitions.projectScheduleDefinitionDestroy,
}
