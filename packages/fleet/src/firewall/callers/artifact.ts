import { createHash } from 'node:crypto'
import { applyLimit, findLimit, type LimitDeps } from '#/firewall/callers/limit.ts'
import { limitCallers } from '#/firewall/commands/limit-callers.ts'
import { holdingRules } from '#/firewall/locks.ts'
import type { NodeArtifact } from '#/nodes/api.ts'

/** Applied again when the gateway has another address or this release another rule. */
export const makeCallersArtifact = (deps: LimitDeps): NodeArtifact => ({
  name: 'firewall-callers',
  digest: async (node) => {
    const limit = await findLimit(deps.store.db, node, await deps.readFacts(node))
    return (
      limit && createHash('sha256').update(JSON.stringify(limit)).update(limitCallers.source).digest('hex')
    )
  },
  converge: async (session) => {
    await holdingRules(deps.store, session.call, session.node.id, () => applyLimit(deps, session))
    return 'applied'
  },
})
