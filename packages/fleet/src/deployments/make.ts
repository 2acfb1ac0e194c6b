import { makeHomeChecks } from '#/deployments/checks.ts'
import { makeDeploymentList } from '#/deployments/deployments.ts'
import { makeDeploy } from '#/deployments/deploy.ts'
import { type DeploymentLocators, makeDeploymentLocators } from '#/deployments/locators.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
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
export const makeDeployments = (deps: DeploymentsDeps): DeploymentsDomain => ({
  handlers: {
    'deployment:show': makeShow(deps),
    'instance:deploy': makeDeploy(deps),
    'instance:rollback': makeRollback(deps),
    'instance:releases': makeReleaseList(deps),
    'instance:deployments': makeDeploymentList(deps),
  },
  locators: makeDeploymentLocators(deps),
  checks: makeHomeChecks(deps),
  workKinds: [settleKind(deps), interruptedKind(deps), watchKind(deps), scheduledKind(deps)],
})
