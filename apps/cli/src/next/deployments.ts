import type { NextSteps } from './step.ts'
import { AGAIN } from './words.ts'

/** Deployments, releases and their steps. */
export const deploymentSteps = {
  'deployment_config.unavailable':
    'fleet project:dev-deploy-step:list PROJECT shows the steps of a development deployment.',
  'deploy_step.name_taken':
    'Choose another name, or change that step: fleet help instance:deploy-step:update, for development fleet help project:dev-deploy-step:update',
  'deploy_step.not_found':
    'fleet instance:deploy-step:list INSTANCE shows the steps, for development fleet project:dev-deploy-step:list PROJECT',
  'deployment.not_found': 'fleet instance:deployments INSTANCE lists the deployments of an Instance.',
  'deployment.step_failed':
    'fleet instance:deployments INSTANCE lists the deployments; fleet help deployment:show explains how to read what a step printed.',
  'deployment.health_failed':
    'fleet instance:deployments INSTANCE lists the deployments; fleet help deployment:show explains how to read what it answered.',
  'deployment.environment_link_failed': `fleet env:sync INSTANCE writes the file. ${AGAIN}`,
  'deployment.source_dirty': 'In the checkout: git status shows its branch and its changes.',
  'deployment.step_timeout':
    'Give the step more time: fleet instance:deploy-step:update INSTANCE STEP --timeout-seconds SECONDS, for development fleet project:dev-deploy-step:update PROJECT STEP --timeout-seconds SECONDS',
  'deployment.step_unavailable': `Install the program on the Node, or change the step: fleet instance:deploy-step:list INSTANCE, for development fleet project:dev-deploy-step:list PROJECT. ${AGAIN}`,
  'deployment.health_unavailable': 'Leave out --health-path.',
  'deployment.deadline_exceeded':
    'fleet instance:deployments INSTANCE shows how far it came. Make the steps shorter, then deploy again.',
} as const satisfies NextSteps
