import { dataSteps } from './data.ts'
import { deploymentSteps } from './deployments.ts'
import { gatewaySteps } from './gateway.ts'
import { instanceSteps } from './instances.ts'
import { networkSteps } from './network.ts'
import { nodeSteps } from './nodes.ts'
import { projectSteps } from './projects.ts'
import { routeSteps } from './routes.ts'
import { serviceSteps } from './services.ts'
import type { NextSteps } from './step.ts'

export type { NextSteps } from './step.ts'
export { nextByCapability, nextByGitReason, nextByReason, nextStepsOf } from './reasons.ts'

/** What a person may run next, for every refusal that the help of the command does not resolve. */
export const nextSteps: NextSteps = {
  ...gatewaySteps,
  ...nodeSteps,
  ...networkSteps,
  ...projectSteps,
  ...instanceSteps,
  ...deploymentSteps,
  ...dataSteps,
  ...serviceSteps,
  ...routeSteps,
}
