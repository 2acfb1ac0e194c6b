import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { requireProduction } from './list-of.ts'

/** In the order of the run, those before the activation first. */
export const makeDeployStepList =
  (deps: InstanceDeps): Handler<'instance:deploy-step:list'> =>
  async (request) => {
    const { row } = await requireProduction(deps, request)
    return { data: [...(row.deploy_steps ?? [])] }
  }
