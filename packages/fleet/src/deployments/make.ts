import { makeHomeChecks } from '#/deployments/checks.ts'
import { makeDeploymentList } from '#/deployments/deployments.ts'
import { makeDeploy } from '#/deployments/deploy.ts'
import { type DeploymentLocators, makeDeploymentLocators } from '#/deployments/locators.ts'
import type { DeploymentsParts } from '#/deployments/parts.ts'
import { makeReleaseList } from '#/deployments/releases.ts'
import { makeRollback } from '#/deployments/rollback.ts'
import { interruptedKind, settleKind } from '#/deployments/settle.ts'
import { makeShow } from '#/deployments/show.ts'
import { scheduledKind, watchKind } from '#/deployments/watch.ts'
import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import type { WorkKind } from '#/work/api.ts'

export interface DeploymentsDomain {
  readonly handlers: HandlersOf<
    'deployment:show' | 'instance:deploy' | 'instance:rollback' | 'instance:releases' | 'instance:deployments'
  >
  readonly locators: DeploymentLocators
  readonly checks: FamilyChecks
  readonly workKinds: readonly WorkKind[]
}

/** Deployments and rollbacks of Instances, and the releases that they leave. */
export const makeDeployments = (parts: DeploymentsParts): DeploymentsDomain => ({
  handlers: {
    'deployment:show': makeShow(parts),
    'instance:deploy': makeDeploy(parts),
    'instance:rollback': makeRollback(parts),
    'instance:releases': makeReleaseList(parts),
    'instance:deployments': makeDeploymentList(parts),
  },
  locators: makeDeploymentLocators(parts),
  checks: makeHomeChecks(parts),
  workKinds: [settleKind(parts), interruptedKind(parts), watchKind(parts), scheduledKind(parts)],
})
