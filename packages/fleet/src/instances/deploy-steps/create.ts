import { DEPLOY_STEP_LIMITS, type DeploymentStepData, fail, type InputOf } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { requirePlace } from '#/projects/api.ts'
import { changingDeploySteps, type ListChange } from './list-of.ts'
import { withStep } from './order.ts'

type Input = InputOf<'instance:deploy-step:create'>

/** An exact repeat answers the stored step and publishes nothing; another step of the name is a conflict. */
export const makeDeployStepCreate =
  (deps: InstanceDeps): Handler<'instance:deploy-step:create'> =>
  async (request) => {
    const { call, input } = request
    requirePlace(input.name, input)
    const step = stepOf(input)
    const created = await changingDeploySteps(deps, request, step.name, (steps) => added(steps, step, input))
    if (created) call.event('deploy_step.created', step)
    return { data: step, created }
  }

const stepOf = ({ name, phase, command, timeout_seconds }: Input): DeploymentStepData => ({
  name,
  phase: phase ?? 'before_activation',
  command,
  timeout_seconds: timeout_seconds ?? DEPLOY_STEP_LIMITS.timeoutDefaultSeconds,
})

function added(
  steps: readonly DeploymentStepData[],
  step: DeploymentStepData,
  place: Input,
): ListChange<boolean> {
  const after = withStep(steps, step, place)
  const known = steps.find(({ name }) => name === step.name)
  if (!known) return { steps: after, result: true }
  if (JSON.stringify(after) !== JSON.stringify(steps))
    throw fail('deploy_step.name_taken', { details: { step: known.name } })
  return { steps, result: false }
}
