import { isDeepStrictEqual } from 'node:util'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { convergeArtifacts } from '#/node-lifecycle/artifacts/artifacts.ts'
import { repairNode } from '#/node-lifecycle/repair/repair.ts'
import { findNode, holdingRoles, identityOf, type NodeRecord, presentNode, updateNode } from '#/nodes/api.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { requireActive, requireSession } from '#/roles/api.ts'

/**
 * Applies the footprint of a Node again, also of one that owns Instances (NODE-120 to NODE-124). With `force` what carries it
 * is repaired first, over whichever path is open (decision 0113).
 */
export const makeConverge =
  (deps: LifecycleDeps): Handler<'node:converge'> =>
  ({ call, input }) =>
    holdingRoles(deps.store, call, input.node, async () => {
      const node = await requireActive(deps.store.db, input.node)
      if (node.platform === 'macos')
        throw fail('node.converge_unsupported', { details: { node: identityOf(node) } })
      const force = input.force ?? false
      const session = await requireSession(deps, call, node)
      // It stays: what an interrupted removal took from it comes back, and the next one begins with its first step.
      if (node.removal !== null) await updateNode(deps.store.db, node.id, { removal: null })
      const repaired = force ? await publishingKept(deps, call, node, () => repairNode(deps, call, node)) : []
      const artifacts = await convergeArtifacts(deps, session, { force })
      return { data: { node_id: node.id, artifacts: [...repaired, ...artifacts] } }
    })

/** A machine may have another key for its tunnel then, whatever becomes of the rest (EV-016, decision 0300). */
async function publishingKept<T>(
  { store }: Pick<LifecycleDeps, 'store'>,
  call: Call,
  before: NodeRecord,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } finally {
    const after = await findNode(store.db, before.id)
    if (after && !isDeepStrictEqual(presentNode(after), presentNode(before)))
      await call.publish('node.updated', presentNode(after))
  }
}
