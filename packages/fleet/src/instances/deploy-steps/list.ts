import type { Handler } from '#/handler.ts'
import type { InstanceParts } from '#/instances/parts.ts'
import { requireProduction } from './list-of.ts'

/** In the order of the run, those before the activation first. */
export const makeDeployStepList =
  (parts: InstanceParts): Handler<'instance:deploy-step:list'> =>
  async (request) => {
    const { row } = await requireProduction(parts, request)
    return { data: [...(row.deploy_steps ?? [])] }
  }
