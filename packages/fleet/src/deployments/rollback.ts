import { invalid } from '@fleet/contract'
import { requestedInstance } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { performDeployment } from '#/deployments/run/perform.ts'
import { rollBack } from '#/deployments/run/rollback.ts'
import type { Handler } from '#/handler.ts'
import { type InstanceRecord, isProduction, type ProductionInstance, Releases } from '#/instances/api.ts'

/** A release that the Node does not have is refused before anything changes (DEPL-035). */
export const makeRollback =
  (deps: DeploymentsDeps): Handler<'instance:rollback'> =>
  async (request) => {
    const { call, input } = request
    return performDeployment(deps, call, {
      seen: await requestedInstance(deps, request),
      isFor: isRolledBack,
      requireReady: async (instance) => {
        const session = deps.nodes.sessions.overTunnel(call, instance.node)
        const { releases } = await new Releases(session, instance).list()
        if (!releases.includes(input.release)) throw unknownRelease(releases)
      },
      triggeredBy: call.caller?.name ?? 'schedule',
      known: () => ({ release: input.release, branch: null, commit_id: null }),
      phases: rollBack,
    })
  }

const isRolledBack = (instance: InstanceRecord): instance is ProductionInstance =>
  isProduction(instance) && instance.status === 'active'

const unknownRelease = (releases: readonly string[]): Error =>
  invalid({
    release: [
      releases.length === 0
        ? 'the Instance has no release yet'
        : `must be one that the Instance still has: ${releases.join(', ')}`,
    ],
  })
