import { DEPLOY_STEP_LIMITS, type DeploymentStepData, fail } from '@fleet/contract'
import { type Place, placed, requireListFits } from '#/projects/api.ts'

/**
 * The list with the step in it, in the place of an older one of its name. A neighbour is of the same phase (DEPL-002); a step
 * without one keeps its place, or goes to the end when it is new or changes its phase. Throws `deploy_step.not_found` for a
 * neighbour that the phase does not have, and `validation.failed` for a list that no longer fits.
 */
export function withStep(
  steps: readonly DeploymentStepData[],
  step: DeploymentStepData,
  place: Place,
): readonly DeploymentStepData[] {
  const others = steps.filter(({ name }) => name !== step.name)
  requireListFits([...others, step], DEPLOY_STEP_LIMITS)
  requirePeer(others, step, place)
  const peers = steps.filter(({ phase }) => phase === step.phase)
  const names = peers.map(({ name }) => name)
  const isKept = place.before === undefined && place.after === undefined && names.includes(step.name)
  const order = isKept ? names : placed(names, step.name, place, 'deploy_step.not_found')
  const byName = new Map([...peers, step].map((peer) => [peer.name, peer]))
  const phase = order.flatMap((name) => byName.get(name) ?? [])
  const rest = others.filter((other) => other.phase !== step.phase)
  return step.phase === 'before_activation' ? [...phase, ...rest] : [...rest, ...phase]
}

/** A list shows the steps of both phases, so a neighbour of the other one is no typing error. */
function requirePeer(
  others: readonly DeploymentStepData[],
  { phase }: DeploymentStepData,
  { before, after }: Place,
): void {
  const neighbour = others.find(({ name }) => name === (before ?? after))
  if (!neighbour || neighbour.phase === phase) return
  throw fail('deploy_step.not_found', {
    message: `The step ${neighbour.name} runs in the phase ${neighbour.phase}. A step goes before or after one of its own phase, ${phase}.`,
    details: { step: neighbour.name },
  })
}
