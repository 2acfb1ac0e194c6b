import { type DeploymentStepData, fail } from '@fleet/contract'
import type { InstanceDeps } from '#/instances/deps.ts'
import { lockInstance, storeDeploySteps } from '#/instances/queries.ts'
import { type FoundInstance, requireInstance } from '#/instances/require.ts'
import type { HandlerRequest } from '#/handler.ts'

/** A request about one Instance. */
type OnInstance<I = unknown> = HandlerRequest<
  I & { readonly instance: number },
  { readonly instance: FoundInstance }
>

/** Throws `deployment_config.unavailable` for an Instance that is not production (DEPL-005). */
export async function requireProduction(
  deps: InstanceDeps,
  { input, found: located }: OnInstance,
): Promise<FoundInstance> {
  const found = located?.instance ?? (await requireInstance(deps, input.instance))
  if (found.row.environment !== 'production')
    throw fail('deployment_config.unavailable', { details: { environment: found.row.environment } })
  return found
}

/** What a change makes of the list. */
export interface ListChange<T> {
  readonly steps: readonly DeploymentStepData[]
  readonly result: T
}

/** Changes the list as it is now; others who change it wait for the end. The Activity names the step and nothing of its command (DEPL-006). */
export async function changingDeploySteps<T>(
  deps: InstanceDeps,
  request: OnInstance,
  step: string,
  work: (steps: readonly DeploymentStepData[]) => ListChange<T>,
): Promise<T> {
  const { row } = await requireProduction(deps, request)
  request.call.note.property('step', step)
  return deps.store.transaction(async (db) => {
    const locked = await lockInstance(db, row.id)
    if (!locked) throw fail('instance.not_found')
    const before = locked.deploy_steps ?? []
    const { steps, result } = work(before)
    if (steps !== before) await storeDeploySteps(db, row.id, steps)
    return result
  })
}

/** Throws `deploy_step.not_found`. */
export function requireDeployStep(steps: readonly DeploymentStepData[], name: string): DeploymentStepData {
  const step = steps.find((candidate) => candidate.name === name)
  if (!step) throw fail('deploy_step.not_found', { details: { step: name } })
  return step
}
