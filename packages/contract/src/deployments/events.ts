import { instanceDeployment } from './records.ts'
import { deploymentStep } from './step-records.ts'

/** The data of a deploy step has no id: its event has the name of the step as its id (EV-004, EV-055). */
const byName = { data: deploymentStep, id: 'name' } as const

export const deploymentEvents = {
  'deploy_step.created': { ...byName, summary: 'A deploy step was added.' },
  'deploy_step.updated': { ...byName, summary: 'A deploy step was changed or moved.' },
  'deploy_step.deleted': { ...byName, summary: 'A deploy step was removed.' },
  'deployment.created': { data: instanceDeployment, summary: 'A deployment or rollback began.' },
  'deployment.updated': {
    data: instanceDeployment,
    summary: 'A deployment or rollback ended, whether it succeeded or failed.',
  },
} as const
