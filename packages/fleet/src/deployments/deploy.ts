import type { DeploymentLine } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requestedInstance, requireNode } from '#/deployments/find.ts'
import type { DeploymentsParts } from '#/deployments/parts.ts'
import { deployDevelopment } from '#/deployments/run/development.ts'
import { performDeployment, refused } from '#/deployments/run/perform.ts'
import { deployProduction } from '#/deployments/run/production.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { type InstanceRecord, isProduction } from '#/instances/api.ts'

/** Name of the development Instance that is deployed in its checkout. */
export const DEFAULT_NAME = 'default'

export const makeDeploy =
  (parts: DeploymentsParts): Handler<'instance:deploy'> =>
  async (request) => {
    const instance = await requestedInstance(parts, request)
    return deploy(parts, request.call, instance, request.call.caller?.name ?? 'schedule')
  }

/** Deploys what can be deployed; anything else is a failed result (DEPL-023). */
export async function deploy(
  parts: DeploymentsParts,
  call: Call,
  instance: InstanceRecord,
  triggeredBy: string,
  commit: string | null = null,
): Promise<Outcome<DeploymentLine>> {
  requireNode(instance)
  if (!isDeployable(instance)) return refused(parts, call, 'deployment_config.unavailable')
  const branch = instance.deployment_branch ?? instance.selected_branch
  return performDeployment(parts, call, {
    instance,
    triggeredBy,
    known: { release: null, branch, commit_id: commit },
    phases: (run, progress) =>
      isProduction(run.instance)
        ? deployProduction({ ...run, instance: run.instance }, progress)
        : deployDevelopment(run, progress),
  })
}

const isDeployable = (instance: InstanceRecord): boolean =>
  instance.status === 'active' &&
  (isProduction(instance) || (instance.environment === 'development' && instance.name === DEFAULT_NAME))
