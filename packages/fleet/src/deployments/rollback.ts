import { invalid } from '@fleet/contract'
import { requestedInstance, requireNode } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { performDeployment, refused } from '#/deployments/run/perform.ts'
import { rollBack } from '#/deployments/run/rollback.ts'
import type { Handler } from '#/handler.ts'
import { isProduction, Releases } from '#/instances/api.ts'

/** A release that the Node does not have is refused before anything changes (DEPL-035). */
export const makeRollback =
  (deps: DeploymentsDeps): Handler<'instance:rollback'> =>
  async (request) => {
    const { call, input } = request
    const instance = await requestedInstance(deps, request)
    if (!isProduction(instance) || instance.status !== 'active')
      return refused(deps, call, 'deployment_config.unavailable')
    requireNode(instance)
    const session = deps.nodes.sessions.overTunnel(call, instance.node)
    const { releases } = await new Releases(session, instance).list()
    if (!releases.includes(input.release))
      throw invalid({
        release: [
          releases.length === 0
            ? 'the Instance has no release yet'
            : `must be one that the Instance still has: ${releases.join(', ')}`,
        ],
      })
    return performDeployment(deps, call, {
      instance,
      triggeredBy: call.caller?.name ?? 'schedule',
      known: { release: input.release, branch: null, commit_id: null },
      phases: async (run, progress) => {
        if (isProduction(run.instance)) await rollBack({ ...run, instance: run.instance }, progress)
      },
    })
  }
