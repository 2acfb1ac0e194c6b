import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { convergeArtifacts } from '#/node-lifecycle/footprint/artifacts.ts'
import { holdingRoles, identityOf } from '#/nodes/api.ts'
import type { LifecycleParts } from '#/node-lifecycle/enrolment/provisioning.ts'
import { requireActive, requireSession } from '#/roles/api.ts'

/** Applies the footprint of a Node again, also of one that owns Instances (NODE-120 to NODE-124). */
export const makeConverge =
  (parts: LifecycleParts): Handler<'node:converge'> =>
  ({ call, input }) =>
    holdingRoles(parts.store, call, input.node, async () => {
      const node = await requireActive(parts.store.db, input.node)
      if (node.platform === 'macos')
        throw fail('node.converge_unsupported', { details: { node: identityOf(node) } })
      const session = await requireSession(parts, call, node)
      const artifacts = await convergeArtifacts(parts, session, { force: input.force ?? false })
      return { data: { node_id: node.id, artifacts: [...artifacts] } }
    })
