import type { FootprintData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { artifactFailure } from '#/node-lifecycle/artifacts/failure.ts'
import { type Repair, nodeRepair } from '#/node-lifecycle/repair/steps.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { performSteps } from '#/perform-steps.ts'

type Entries = FootprintData['artifacts']

/**
 * Repairs what carries a Node in use, over its tunnel or, where that is silent, over its public address. Answers one entry
 * for each part. Throws `node.footprint_failed` with the part as `details.artifact` and `details.error_code`.
 */
export async function repairNode(deps: LifecycleDeps, call: Call, node: NodeRecord): Promise<Entries> {
  const repair: Repair = { deps, call, node, changed: new Map(), path: 'tunnel' }
  await performSteps(nodeRepair, repair, {
    call,
    errorOf: (failure) => artifactFailure(node, failure),
  })
  return [...repair.changed].map(([name, changed]) => ({
    name,
    outcome: changed ? 'applied' : 'unchanged',
    error_code: null,
  }))
}
