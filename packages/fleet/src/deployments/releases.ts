import { fail } from '@fleet/contract'
import { requestedInstance, requireNode } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import type { Handler } from '#/handler.ts'
import { isProduction, Releases } from '#/instances/api.ts'

/** As the Node has them. */
export const makeReleaseList =
  (deps: DeploymentsDeps): Handler<'instance:releases'> =>
  async (request) => {
    const instance = await requestedInstance(deps, request)
    if (!isProduction(instance)) throw fail('deployment_config.unavailable')
    requireNode(instance)
    const session = deps.nodes.sessions.overTunnel(request.call, instance.node)
    const { releases, selected } = await new Releases(session, instance).list()
    return { data: { releases: [...releases], selected_release: selected ?? null } }
  }
