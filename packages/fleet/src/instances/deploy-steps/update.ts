import { isDeepStrictEqual } from 'node:util'
import type { DeploymentStepData, InputOf } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { requireChange, requirePlace } from '#/projects/api.ts'
import { changingDeploySteps, requireDeployStep } from './list-of.ts'
import { withStep } from './order.ts'

type Input = InputOf<'instance:deploy-step:update'>

/** Changes or moves a step, and publishes nothing where all is as it was; a deployment in progress keeps the list it read. */
export const makeDeployStepUpdate =
  (deps: InstanceDeps): Handler<'instance:deploy-step:update'> =>
  async (request) => {
    const { call, input } = request
    const { phase, command, timeout_seconds, before, after } = input
    requireChange([phase, command, timeout_seconds, before, after])
    requirePlace(input.step, input)
    const { step, isChanged } = await changingDeploySteps(deps, request, input.step, (before) => {
      const changed = changedStep(requireDeployStep(before, input.step), input)
      const after = withStep(before, changed, input)
      const isOther = !isDeepStrictEqual(after, before)
      return { steps: isOther ? after : before, result: { step: changed, isChanged: isOther } }
    })
    if (isChanged) call.event('deploy_step.updated', step)
    return { data: step }
  }

const changedStep = (step: DeploymentStepData, given: Input): DeploymentStepData => ({
  name: step.name,
  phase: given.phase ?? step.phase,
  command: given.command ?? step.command,
  timeout_seconds: given.timeout_seconds ?? step.timeout_seconds,
})
