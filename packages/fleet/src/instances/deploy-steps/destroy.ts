import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { changingDeploySteps, requireDeployStep } from './list-of.ts'

/** Answers the removed step, which is the data of its event too (EV-054). */
export const makeDeployStepDestroy =
  (deps: InstanceDeps): Handler<'instance:deploy-step:destroy'> =>
  async (request) => {
    const { call, input } = request
    const removed = await changingDeploySteps(deps, request, input.step, (steps) => {
      const step = requireDeployStep(steps, input.step)
      return { steps: steps.filter((other) => other !== step), result: step }
    })
    call.event('deploy_step.deleted', removed)
    return { data: removed }
  }
