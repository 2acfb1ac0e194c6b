import { type DeploymentLine, fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requestedInstance } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { deployDevelopment } from '#/deployments/run/development.ts'
import { performDeployment } from '#/deployments/run/perform.ts'
import { deployProduction } from '#/deployments/run/production.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { type InstanceRecord, isProduction } from '#/instances/api.ts'

/** Name of the development Instance that is deployed in its checkout. */
export const DEFAULT_NAME = 'default'

export const makeDeploy =
  (deps: DeploymentsDeps): Handler<'instance:deploy'> =>
  async (request) => {
    const instance = await requestedInstance(deps, request)
    const triggeredBy = request.call.caller?.name ?? 'schedule'
    return deploy(deps, request.call, instance, { triggeredBy, healthPath: request.input.health_path })
  }

interface Wanted {
  readonly triggeredBy: string
  /** Known before the branch is read. */
  readonly commit?: string
  /** Page that the new release must answer; nothing is asked without it. */
  readonly healthPath?: string | undefined
}

/**
 * Deploys what can be deployed; anything else is a failed result (DEPL-023). Throws `deployment.health_unavailable` for a health
 * request that nobody could answer.
 */
export const deploy = (
  deps: DeploymentsDeps,
  call: Call,
  seen: InstanceRecord,
  { triggeredBy, commit, healthPath }: Wanted,
): Promise<Outcome<DeploymentLine>> =>
  performDeployment(deps, call, {
    seen,
    isFor: isDeployable,
    requireReady: async (instance) => {
      if (healthPath !== undefined && !(isProduction(instance) && (await deps.php.hasService(instance))))
        throw fail('deployment.health_unavailable')
    },
    triggeredBy,
    known: (instance) => ({
      release: null,
      branch: instance.deployment_branch ?? instance.selected_branch,
      commit_id: commit ?? null,
    }),
    phases: (run, progress) =>
      isProduction(run.instance)
        ? deployProduction({ ...run, instance: run.instance }, progress, healthPath)
        : deployDevelopment(run, progress),
  })

const isDeployable = (instance: InstanceRecord): instance is InstanceRecord =>
  instance.status === 'active' &&
  (isProduction(instance) || (instance.environment === 'development' && instance.name === DEFAULT_NAME))
