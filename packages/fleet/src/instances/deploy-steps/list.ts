import type { Handler } from '#/handler.ts'
import type { InstanceParts } from '#/instances/parts.ts'
import { requireProduction } from './list-of.ts'

/** In the order of the run, those before the activation first. */
export const makeDeployStepList =
  (parts: InstanceParts): Handler<'instance:deploy-step:list'> =>
  async ({ input }) => {
    const { row } = await requireProduction(parts, input.instance)
    return { data: [...(row.deploy_steps ?? [])] }
  }
